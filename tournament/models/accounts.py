"""Staff accounts, their roles in tournaments, and one-time sign-in links."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models.base import NameField, SignInLinkColumns


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A staff member who can sign in. Players need no account."""

    email = models.EmailField(unique=True)
    name = NameField(max_length=200)
    is_named = models.BooleanField(default=True, db_default=True)
    """Whether the user chose this name. The first account starts with a generated name."""

    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name or self.email


class StaffRole(models.Model):
    """A user's role in one tournament. The log records who granted and revoked it."""

    class Role(models.TextChoices):
        DIRECTOR = "director", _("Director")
        COORDINATOR = "coordinator", _("Coordinator")
        HOTEL = "hotel", _("Hotel")
        DESK = "desk", _("Desk")

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="roles")
    user = models.ForeignKey(User, on_delete=models.RESTRICT, related_name="roles")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tournament", "user", "role"], name="one_role_once")]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_role_display()}"


class SignInLink(SignInLinkColumns):
    """A one-time sign-in link. Only its digest is stored.

    `link_by` and `link_at` are empty if the link was created by the user or by the program.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    digest = models.CharField(max_length=64, unique=True)
    goes_to = models.CharField(max_length=300, default="/")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"
