import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountAreas, adminAreas } from '../../../src/contract/common.ts'
import { operations } from '../../../src/contract/index.ts'
import { inProcess } from '../../cli/run.ts'
import { makeVisited, pages } from '../map.ts'
import { type Bar, barOf, shell, wordsOf } from './bar.ts'
import { type Change, changes } from './changes.ts'
import { type Reached, startReached } from './reached.ts'

/** The commands of a page, or of a filled form on it. */
interface Command {
  readonly at: string
  readonly side: 'user' | 'admin'
  readonly panel: Bar
  readonly curl: Bar
}

const sideOf = (base: string): Command['side'] => (base === '/user' ? 'user' : 'admin')

describe('two ways to do the same', () => {
  let reached: Reached
  let visited: Awaited<ReturnType<typeof makeVisited>>
  let command: Command[]
  const folder = mkdtempSync(join(tmpdir(), 'panel-curl-'))

  beforeAll(async () => {
    reached = await startReached()
    visited = await makeVisited(reached.panel)
    writeFileSync(join(folder, '.curlrc'), `connect-to = "host.example:7711:127.0.0.1:${reached.port}"\n`)
    command = []
    for (const page of pages.filter(({ screen }) => operations[screen.shows].method === 'get'))
      command.push(await received(page.base, visited.addressOf(page)))
    for (const change of changes) command.push(await received(change.base, typedIn(change)))
  }, 60_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await reached.end()
  })

  const typedIn = ({ base, at, op, typed, item }: Change): string => {
    const query = new URLSearchParams({ do: op, ...typed, ...(item && { _item: visited.world.ids.get(item)! }) })
    return `${base}${at}?${query}`
  }

  async function received(base: string, at: string): Promise<Command> {
    const output = async (path: string): Promise<Bar> => {
      const { status, body } = await visited.whoSees(base).get(`${at}${at.includes('?') ? '&' : '?'}say=${path}`)
      expect([at, status]).toEqual([at, 200])
      return barOf(body)
    }
    return { at, side: sideOf(base), panel: await output('panel'), curl: await output('curl') }
  }

  const tokens = new Map<string, Promise<string>>()
  const tokenOf = (side: Command['side'], scope: string): Promise<string> => {
    const made =
      tokens.get(side + scope) ??
      reached.panel.token(scope.split(','), side === 'user' ? { account: visited.world.alice.id } : {})
    tokens.set(side + scope, made)
    return made
  }

  test('sends one request for both ways of a page, with --dry-run on the command line too', async () => {
    const both = command.filter(({ panel, curl }) => panel.line.startsWith('panel ') && curl.line.startsWith('curl '))
    const words = {
      panel: await wordsOf(
        'panel',
        both.map(({ panel }) => panel.line),
      ),
      curl: await wordsOf(
        'curl',
        both.map(({ curl }) => curl.line),
      ),
    }
    const wrong: unknown[] = []
    for (const [index, { at, side }] of both.entries()) {
      const planned = await inProcess([...words.panel[index]!, '--dry-run'], {
        PANEL_URL: reached.plain,
        PANEL_TOKEN: await tokenOf(side, 'full-access'),
        PANEL_NO_INPUT: '1',
        PANEL_OUTPUT: 'json',
      })
      const [requests, sent] = [
        planned.code === 0 ? plannedIn(planned.stdout) : planned.stderr,
        sentBy(words.curl[index]!),
      ]
      if (JSON.stringify(requests) !== JSON.stringify(sent)) wrong.push([at, requests, sent])
    }
    expect(wrong).toEqual([])
    expect(both.length).toBeGreaterThan(100)
  }, 60_000)

  test.each(['user', 'admin'] as const)(
    'accepts the curl line of the %s panel with a token for the area it names, and not for the next smaller',
    async (side) => {
      const own = command.filter((one) => one.side === side && one.curl.line.startsWith('curl '))
      const words = await wordsOf(
        'curl',
        own.map(({ curl }) => curl.line),
      )
      const wrong: unknown[] = []
      for (const [index, one] of own.entries()) {
        expect(one.curl.line).toContain("--insecure --pinnedpubkey 'sha256//")
        const { scope = 'read-only' } = one.curl
        const smaller = smallerThan(scope, one)
        const refused = smaller && (await refusal(words[index]!, await tokenOf(side, smaller)))
        if (refused && refused !== '403 token-scope') wrong.push([one.at, smaller, refused])
        const taken = await answer(one, await tokenOf(side, scope))
        if (!/^2\d\d$/.test(taken.status)) wrong.push([one.at, scope, taken, one.curl.line])
      }
      expect(wrong).toEqual([])
      expect(own.length).toBeGreaterThan(40)
    },
    60_000,
  )

  /** The same request with another token, since a second curl would only take longer. */
  async function refusal(words: readonly string[], token: string): Promise<string> {
    const { method, path, body } = sentBy(words)
    const { search } = new URL(words.at(-1)!)
    const { status, code } = await reached.panel.send(method, path + search, { token, ...(body && { body }) })
    return `${status} ${code}`
  }

  async function answer({ curl }: Command, token: string) {
    const write = `--silent --show-error --write-out '\\n%{http_code}'`
    const script = `${curl.line.replace(/^curl/, `curl ${write}`).replaceAll('PASSWORD', 'a password of its own')}\n`
    const { out, err } = await shell(script, { cwd: folder, env: { HOME: folder, PANEL_TOKEN: token } })
    const at = out.lastIndexOf('\n')
    return { status: out.slice(at + 1), body: out.slice(0, at).slice(0, 300) + err }
  }
})

/** Reading instead of writing, and another area instead of reading. */
function smallerThan(scope: string, { side, curl }: Command): string | undefined {
  const [first = '', second] = scope.split(',')
  if (second !== undefined) return first
  const [area, right] = scope.split(':')
  if (curl.scope === undefined || curl.needs.includes('any')) return undefined
  if (right === 'write') return `${area}:read`
  const named = /token area: (.*), (?:read|write)/.exec(curl.needs)?.[1]?.split(', ') ?? []
  const other = (side === 'user' ? accountAreas : adminAreas).find((one) => !named.includes(one))
  return other && `${other}:read`
}

interface CommandsRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
}

const plannedIn = (stdout: string): CommandsRequest => {
  const { method, path, query = {}, body } = JSON.parse(stdout)
  return requestOf(method, path, Object.entries(query), body)
}

/** What curl sends with these arguments. */
function sentBy(words: readonly string[]): CommandsRequest {
  const after = (name: string): string | undefined => words[words.indexOf(name) + 1 || words.length]
  const { pathname, searchParams } = new URL(words.at(-1)!)
  const data = after('--data')
  return requestOf(after('-X') ?? 'GET', pathname, [...searchParams], data && JSON.parse(data))
}

/** One prompts for secrets, and the other needs them filled in by hand. */
function requestOf(
  method: string,
  path: string,
  query: (readonly [string, unknown])[],
  body?: object,
): CommandsRequest {
  const requests = query
    .filter(([name]) => !paging.includes(name))
    .map(([name, value]) => [name, String(value)] as const)
  const visible = body && JSON.parse(JSON.stringify(body).replaceAll('"[secret]"', '"PASSWORD"'))
  return { method, path, ...{ query: requests.toSorted() }, ...(visible && { body: sorted(visible) }) }
}

/** The command line pages on its own. */
const paging = ['limit', 'per_page', 'page', 'order', 'confirm']
const sorted = (body: object): object => Object.fromEntries(Object.entries(body).toSorted())
