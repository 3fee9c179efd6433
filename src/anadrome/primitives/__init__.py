"""The functions the compiler does not look into, and their derivatives."""
