import type { Child } from 'hono/jsx'

interface PageProps {
  readonly title: string
  readonly server: string
  /** Who is signed in, with what to sign out by. */
  readonly user?: { readonly name: string; readonly panel: 'admin' | 'user'; readonly csrf: string }
  readonly children?: Child
}

/** Every screen: a title, the signed-in user, and the content. */
export const Page = ({ title, server, user, children }: PageProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`${title} · ${server}`}</title>
      <link rel="stylesheet" href="/assets/panel.css" />
    </head>
    <body>
      <header>
        <strong>{server}</strong>
        {user ? (
          <form method="post" action={`/${user.panel}/logout`}>
            <input type="hidden" name="csrf_token" value={user.csrf} />
            <span>{user.name} </span>
            <button class="quiet" type="submit">
              Sign out
            </button>
          </form>
        ) : null}
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
)

export const Failure = ({ message }: { message: string | undefined }) =>
  message ? (
    <p class="error" role="alert">
      {message}
    </p>
  ) : null
