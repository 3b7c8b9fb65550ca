"""Events with made-up players: the demo, events played at random, and simulated qualifying days.

They belong to tournaments marked DEMO, and use the same services as the pages. No page or background task imports this
package.

Public: services, selectors.
"""
