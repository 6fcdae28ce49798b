"""The version of this package."""

VERSION = "1.3.0"
