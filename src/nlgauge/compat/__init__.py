"""The call forms of other libraries, ours underneath: one module a library, named after it."""
