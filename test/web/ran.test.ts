import { expect, test } from 'vitest'
import { LastCommands } from '../../src/web/command-bar/last-command.ts'
import type { PanelRequest } from '../../src/web/panel-request.ts'

const path = (n: number): string => `/user/cron?done=createCronJob&job=${n}`

/** A visit to the page that follows a change. */
function visit(n: number, csrf_token = 'alice'): PanelRequest {
  return { session: { csrf_token }, url: new URL(path(n), 'https://host.example:7711') } as unknown as PanelRequest
}

const received = (size: number) => ({
  needs: {},
  panel: { line: '', copyable: true, complete: true, data: 'x'.repeat(size) },
})

test('what sessions have run is kept up to 4 MB in total, the newest first', () => {
  const ran = new LastCommands()
  const places = [...Array(200).keys()]
  for (const n of places) ran.keep(visit(n), path(n), received(60_000) as never)
  const stored = places.filter((n) => ran.of(visit(n)) !== undefined)
  expect(stored).toEqual(places.slice(-69))
})

test('nothing is kept of a session that signs out', () => {
  const ran = new LastCommands()
  for (const session of ['alice', 'bob']) ran.keep(visit(1, session), path(1), received(10) as never)
  ran.forget('alice')
  expect([ran.of(visit(1, 'alice')), ran.of(visit(1, 'bob'))]).toEqual([undefined, received(10)])
})
