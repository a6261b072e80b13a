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
  const { world, whoSees, addressOf } = await makeVisited(panel)
  // A local destination has no secrets.
  const keys = { access_key: 'AKIA1', secret_key: 'top' }
  const offsite = { name: 'offsite', type: 's3', endpoint: 'https://s3.example', bucket: 'backups', ...keys }
  const { destination } = (await panel.post('/backup-destinations', offsite)).body
  const local = world.ids.get('/backup-destinations/{did}')!
  const received: string[] = []
  const typed = new Set<string>()
  for (const page of customersFirst) {
    const at = addressOf(page).replace(local, destination.id)
    const visitor = whoSees(page.base)
    const visible = await visitor.get(at)
    expect([at, visible.status]).toEqual([at, 200])
    for (const [op, names] of secretsIn(visible.body)) {
      const filled = Object.fromEntries(names.map((name) => [name, canary]))
      const answer = await visitor.submit(visible, op, filled)
      typed.add(op)
      const path = answer.headers.get('location')
      const after = path?.startsWith('/') ? await visitor.get(path, { 'Sec-Fetch-Site': 'same-origin' }) : undefined
      const requests = new URLSearchParams({ do: op, ...filled })
      const part = await visitor.get(`${at}?${requests}`, { 'X-Part': 'say' })
      const all = [answer.body, path, after?.body, part.body, formIn(visible.body, op).action].join('\n')
      for (const text of [canary, encodeURIComponent(canary), canary.replaceAll(' ', '+')])
        if (all.includes(text)) received.push(`${at} ${op}: ${text}`)
    }
  }
  expect(received).toEqual([])
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
