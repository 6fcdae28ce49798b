"""The version of this package."""

VERSION = "1.2.0"
