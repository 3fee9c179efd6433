"""Methods of values that are not a user's objects: arrays, lists, dictionaries, text.

In: a value, the name of a method, and its arguments, as nodes.
Out: the statements that the call comes to, or a call that Python makes.
"""
