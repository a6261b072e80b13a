/** Served in place of a suspended account's sites. */
export const suspendedPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Site suspended</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>This site is suspended</h1>
<p>It is not available at the moment. If it is yours, please contact your hosting provider.</p>
</html>
`

/** Served at a site's address while its document root has no index. */
export const welcomePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Welcome</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>Welcome</h1>
<p>This site has just been set up. Its owner can replace this page by uploading an <code>index.php</code> or <code>index.html</code>.</p>
</html>
`
