"""Everything that shows something: tables, figures, the report, the explorer."""
