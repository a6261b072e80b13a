import type { BrowserContext } from 'playwright-core'

/** Pages that look the same except for names. */
const patternOf = ({ pathname, searchParams }: URL): string => {
  const parts = pathname
    .split('/')
    .map((part) => (/^[0-9A-HJKMNP-TV-Z]{26}$|[@.%]|^(alice.*|default|root)$/.test(part) ? '*' : part))
  return [...parts, searchParams.get('do') ?? ''].join('/')
}

const linksIn = (html: string): string[] =>
  [...html.matchAll(/\shref="([^"#]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))

/** One page of each kind that links lead to, starting from a panel's first page and the known ones. */
export async function pagesFrom(
  context: BrowserContext,
  origin: string,
  first: string,
  known: readonly string[],
): Promise<string[]> {
  const found = new Map<string, string>()
  const waiting = [first, ...known].map((path) => origin + path)
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const url = new URL(address)
    if (!isPage(url, origin, first) || found.has(patternOf(url))) continue
    found.set(patternOf(url), url.pathname + (url.searchParams.has('do') ? url.search : ''))
    const answer = await context.request.get(address)
    for (const href of linksIn(await answer.text())) waiting.push(new URL(href, address).href)
  }
  return [...found.values()]
}

/** Downloads and other orders of the same page are not separate pages. */
const isPage = ({ origin: host, pathname, searchParams }: URL, origin: string, first: string): boolean =>
  host === origin &&
  pathname.startsWith(first) &&
  !searchParams.has('format') &&
  !['data', 'curl'].includes(searchParams.get('say') ?? '') &&
  !/^\/admin\/accounts\/[^/]+\/./.test(pathname)
