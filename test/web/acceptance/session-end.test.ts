import { expect, test } from 'vitest'
import { startPanel } from '../../harness.ts'
import { makeVisited, pages } from '../map.ts'
import { formIn, type Visitor } from '../visitor.ts'

const canary = 'A canary of a secret 7'
const ofTheSession = new Set(['do', 'csrf_token', '_key'])

interface Filled {
  readonly visitor: Visitor
  readonly at: string
  readonly op: string
  readonly action: string
  readonly fields: URLSearchParams
  readonly secrets: readonly string[]
}

const namesOf = (tags: readonly string[]): string[] => tags.flatMap((tag) => /\sname="([^"]+)"/.exec(tag)?.[1] ?? [])

/** The forms of a page, with something typed into every empty field. */
function filledOn(visitor: Visitor, at: string, body: string): Filled[] {
  const forms = body.split('<form').slice(1)
  const ops = new Set(forms.flatMap((form) => /name="do" value="(\w+)"/.exec(form.split('</form>')[0]!)?.[1] ?? []))
  return [...ops].map((op) => {
    const { action, fields } = formIn(body, op)
    const form = forms.find((one) => one.includes(`name="do" value="${op}"`))!
    const tags = [...form.split('</form>')[0]!.matchAll(/<(?:input|textarea)[^>]*>/g)].map(([tag]) => tag)
    const secrets = namesOf(tags.filter((tag) => /type="password"|data-secret/.test(tag)))
    const lines = namesOf(tags.filter((tag) => !/type="(?:hidden|checkbox|radio|file)"/.test(tag)))
    for (const name of lines)
      if (fields.get(name) === '') fields.set(name, secrets.includes(name) ? canary : `typed ${name}`)
    fields.set('do', op)
    return { visitor, at, op, action, fields, secrets }
  })
}

test('a POST with an expired session returns 401 with everything typed except secrets, on every page', async () => {
  const panel = await startPanel()
  const { whoSees, addressOf } = await makeVisited(panel)
  const all: Filled[] = []
  for (const page of pages) {
    const [visitor, at] = [whoSees(page.base), addressOf(page)]
    all.push(...filledOn(visitor, at, (await visitor.get(at)).body))
  }
  const audited = () => panel.store.sqlite.prepare('SELECT count(*) FROM audit').pluck().get()
  const before = audited()
  panel.clock.jump(3_600_001)
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const { visitor, at, op, action, fields, secrets } of all) {
    const acts = pages.find(({ screen }) => Object.hasOwn(screen.acts ?? {}, op))
    if (!acts || seen.has(`${at} ${op}`)) continue
    seen.add(`${at} ${op}`)
    const stored = await visitor.post(action, fields)
    if (stored.status !== 401) wrong.push(`${at} ${op}: ${stored.status}`)
    if (stored.body.includes(canary)) wrong.push(`${at} ${op}: a secret`)
    const visible = stored.body.includes(`value="${op}"`) ? formIn(stored.body, op).fields : new URLSearchParams()
    // Lines that boxes sent stand in one text area.
    const visibleAs = (name: string): string[] => visible.getAll(name).flatMap((one) => [one, ...one.split('\r\n')])
    for (const [name, value] of fields)
      if (value !== '' && !ofTheSession.has(name) && !secrets.includes(name) && !visibleAs(name).includes(value))
        wrong.push(`${at} ${op}: ${name} is lost: ${value.slice(0, 40)}`)
  }
  expect(wrong).toEqual([])
  expect(seen.size).toBeGreaterThan(150)
  expect(audited()).toBe(before)
}, 60_000)
