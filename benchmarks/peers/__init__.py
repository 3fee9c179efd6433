"""The same programs for other libraries, each in the form that suits it best."""
