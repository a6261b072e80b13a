import { expect, test } from 'vitest'
import { startPanel } from '../../harness.ts'
import { makeVisited, pages } from '../map.ts'
import { formIn } from '../visitor.ts'

const canary = 'A canary of a secret 7'

/** The operations whose forms on a page ask for secrets, with the names of those fields. */
function secretsIn(body: string): Map<string, string[]> {
  const forms = body.split('<form').slice(1)
  return new Map(
    forms.flatMap((form) => {
      const own = form.split('</form>')[0]!
      const op = /name="do" value="(\w+)"/.exec(own)?.[1]
      const fields = [...own.matchAll(/<(?:input|textarea)[^>]*>/g)].filter(([tag]) =>
        /type="password"|data-secret/.test(tag),
      )
      const names = fields.flatMap(([tag]) => /\sname="([^"]+)"/.exec(tag)?.[1] ?? [])
      return op && names.length > 0 ? [[op, names] as const] : []
    }),
  )
}

/** Some changes by an administrator end the customer's sessions. */
const customersFirst = pages.toSorted((one, other) => Number(other.base === '/user') - Number(one.base === '/user'))

test('a secret typed into any form of any page is in no page, command or address afterwards', async () => {
  const panel = await startPanel()
  const { whoSees, addressOf } = await makeVisited(panel)
  const told: string[] = []
  const typed = new Set<string>()
  for (const page of customersFirst) {
    const at = addressOf(page)
    const visitor = whoSees(page.base)
    const shown = await visitor.get(at)
    expect([at, shown.status]).toEqual([at, 200])
    for (const [op, names] of secretsIn(shown.body)) {
      const filled = Object.fromEntries(names.map((name) => [name, canary]))
      const answer = await visitor.submit(shown, op, filled)
      typed.add(op)
      const way = answer.headers.get('location')
      const after = way?.startsWith('/') ? await visitor.get(way, { 'Sec-Fetch-Site': 'same-origin' }) : undefined
      const asked = new URLSearchParams({ do: op, ...filled })
      const part = await visitor.get(`${at}?${asked}`, { 'X-Part': 'say' })
      const all = [answer.body, way, after?.body, part.body, formIn(shown.body, op).action].join('\n')
      for (const text of [canary, encodeURIComponent(canary), canary.replaceAll(' ', '+')])
        if (all.includes(text)) told.push(`${at} ${op}: ${text}`)
    }
  }
  expect(told).toEqual([])
  const known = [
    'changeAccountPassword',
    'changeDatabaseUserPassword',
    'changeFtpPassword',
    'changeMailboxPassword',
    'changeOwnPassword',
    'changeOwnUserPassword',
    'createAccount',
    'createApp',
    'createBackupDestination',
    'createDatabaseUser',
    'createFtpAccount',
    'createMailbox',
    'installCertificate',
    'updateApp',
    'updateBackupDestination',
  ]
  expect(known.filter((op) => !typed.has(op))).toEqual([])
}, 60_000)
