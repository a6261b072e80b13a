import { expect, test } from 'vitest'
import { Ran } from '../../src/web/ran.ts'
import type { Served } from '../../src/web/served.ts'

const way = (n: number): string => `/user/cron?done=createCronJob&job=${n}`

/** A visit to the page that follows a change. */
function visit(n: number, csrf_token = 'alice'): Served {
  return { session: { csrf_token }, url: new URL(way(n), 'https://host.example:7711') } as unknown as Served
}

const told = (size: number) => ({
  needs: {},
  panel: { line: '', copyable: true, whole: true, data: 'x'.repeat(size) },
})

test('what sessions have run is kept up to 4 MB in total, the newest first', () => {
  const ran = new Ran()
  const places = [...Array(200).keys()]
  for (const n of places) ran.keep(visit(n), way(n), told(60_000) as never)
  const kept = places.filter((n) => ran.of(visit(n)) !== undefined)
  expect(kept).toEqual(places.slice(-69))
})

test('nothing is kept of a session that signs out', () => {
  const ran = new Ran()
  for (const session of ['alice', 'bob']) ran.keep(visit(1, session), way(1), told(10) as never)
  ran.forget('alice')
  expect([ran.of(visit(1, 'alice')), ran.of(visit(1, 'bob'))]).toEqual([undefined, told(10)])
})
