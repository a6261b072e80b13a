import { inputNeeded, usage } from '../errors.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { resolveId } from '../request/resolve.ts'
import { data, isTty, note } from '../terminal.ts'

/** Opens the panel in a browser: signed in as an account by a one-time link, or at the sign-in page. */
export async function run(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation)
  const { account, page } = target(invocation)
  const url = account === undefined ? await pageUrl(client, page) : await linkFor(client, account, page)
  if (!isTty() || invocation.globals.quiet || !(await opened(url))) data(`${url}\n`)
}

/** `panel accounts open NAME [page]`, or `panel open [page] --account NAME`. */
function target(invocation: Invocation): { account?: string | undefined; page?: string | undefined } {
  const [first, second] = invocation.positionals
  if (invocation.command.words[0] !== 'accounts') return { account: textOption(invocation, 'account'), page: first }
  if (first === undefined) throw inputNeeded('Input is needed', 'panel accounts open <account>')
  return { account: first, page: second }
}

async function opened(url: string): Promise<boolean> {
  const { openLink } = await import('../output/browser.ts')
  return openLink(url)
}

async function linkFor(client: Client, account: string, page: string | undefined): Promise<string> {
  const id = await resolveId(client, '/accounts', '/accounts', account)
  const body = page === undefined ? {} : linkTo(below('user', page))
  const answer = await client.call({ method: 'POST', path: `/accounts/${id}/sso`, body })
  return (answer.body as { url: string }).url
}

/** A page below `/admin/` is in the admin panel, which resellers can use. */
const linkTo = (goto: string) => (goto.startsWith('/admin/') ? { panel: 'admin', goto } : { goto })

const below = (panel: string, page: string): string => (page.startsWith('/') ? page : `/${panel}/${page}`)

async function pageUrl(client: Client, page: string | undefined): Promise<string> {
  const panel = client.target.session?.panel ?? 'admin'
  const path = page === undefined ? `/${panel}/` : below(panel, page)
  if (/^\/\/|\\/.test(path)) throw usage(`${page} is not a page of the panel`, 'for example panel open /docs')
  note('No sign-in link is available here: sign in with your password. For an account: panel open --account NAME')
  return `${await originOf(client)}${path}`
}

/** On the local socket, the server's URL is taken from a problem's type. */
async function originOf({ target, call }: Client): Promise<string> {
  if (!target.socket) return target.url.origin
  const type = await call({ method: 'GET', path: '/' }).catch(
    (error: { problem?: { type?: string } }) => error.problem?.type,
  )
  if (typeof type !== 'string' || !URL.canParse(type)) throw usage('the address of the server is unknown')
  return new URL(type).origin
}
