"""A form with every kind of field, for the style guide."""

from django import forms


class SampleForm(forms.Form):
    name = forms.CharField(help_text="As it is shown to everybody.")
    email = forms.EmailField(label="Email", required=False)
    club = forms.ChoiceField(
        choices=[("", "None"), ("a", "Analytical Engine Club"), ("b", "Bletchley Park")], required=False
    )
    count = forms.IntegerField(min_value=0, label="Count", widget=forms.NumberInput(attrs={"inputmode": "numeric"}))
    how = forms.ChoiceField(choices=[("cash", "Cash"), ("card", "Card")], widget=forms.RadioSelect, label="Paid by")
    notes = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), required=False)
    consent = forms.BooleanField(label="My name may be shown on public pages.", help_text="Results are always public.")
