"""The app in a browser: a loopback server that starts one app per page and carries its bytes; imports aiohttp."""
