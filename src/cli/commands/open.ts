import { CliError, inputNeeded, usage } from '../errors.ts'
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

/** The address to open. Over the local socket it is a link that signs root in. */
async function pageUrl(client: Client, page: string | undefined): Promise<string> {
  const panel = client.target.session?.panel ?? 'admin'
  const path = page === undefined ? `/${panel}/` : below(panel, page)
  if (/^\/\/|\\/.test(path)) throw usage(`${page} is not a page of the panel`, 'for example panel open /docs')
  const isRoot = client.target.socket !== undefined && client.target.token === undefined
  if (isRoot && path.startsWith('/admin/')) return rootLink(client, path)
  if (!isRoot) note('Sign in there with your password. For an account, signed in: panel open --account NAME')
  return `${await originOf(client)}${path}`
}

async function rootLink(client: Client, goto: string): Promise<string> {
  const { body } = await client.call({ method: 'POST', path: '/root/sso', body: { goto } })
  return (body as { url: string }).url
}

/** On the local socket, the server's URL is taken from a problem's type. */
async function originOf({ target, call }: Client): Promise<string> {
  if (!target.socket) return target.url.origin
  const type = await call({ method: 'GET', path: '/' }).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.problem.status === undefined) throw error
    return error.problem.type
  })
  if (typeof type !== 'string' || !/^https?:/.test(type)) throw usage('the address of the server is unknown')
  return new URL(type).origin
}
