"""Tiny random models of every kind; without Transformers, the tests that use them are skipped."""

import pytest

pytest.importorskip("transformers")
