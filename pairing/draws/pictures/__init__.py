"""Where the boxes and lines of a bracket or a group stand; the page and the paper only draw them."""
