"""What each kind of stage answers: what stands, what is ready, what is over, who plays, who came where.

`load_course` reads an event stage by stage; each kind answers in a module of its own, behind the protocol `StageState`.

Public: selectors.
"""
