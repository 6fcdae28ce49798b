"""The version of this package."""

VERSION = "2.1.0"
