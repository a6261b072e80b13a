import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { expect } from 'vitest'
import type { HostDriver, HostState } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import type { Json, PanelOptions, TestPanel } from '../harness.ts'
import { withShop } from './fixtures.ts'
import type { Pebble } from './pebble.ts'

const acme = 'var/lib/panel-host/acme'
const files = `${acme}/.well-known/acme-challenge`

/** Responses to challenges stored on the host. */
export function answersOf(panel: TestPanel): string[] {
  const [folder, zones] = [files, 'etc/bind/panel/zones'].map((path) => join(panel.dir, 'host', path))
  const texts = readdirSync(zones!).map((zone) => readFileSync(join(zones!, zone), 'utf8'))
  return [...readdirSync(folder!), ...texts.flatMap((text) => text.match(/^_acme-challenge.*$/gm) ?? [])]
}

/** A driver whose zones are served by the authority's DNS server, and which records them. */
function served(root: string, pebble: Pebble, seen: string[], refuses: (state: HostState) => boolean): HostDriver {
  const driver = createDirectoryDriver({ root })
  const apply = driver.apply.bind(driver)
  return Object.assign(driver, {
    async apply(...[state, options]: Parameters<HostDriver['apply']>) {
      if (refuses(state)) throw new Error('no space')
      const result = await apply(state, options)
      for (const zone of state.accounts.flatMap(({ parts }) => parts.dns.zones.map(({ name }) => name)))
        for (const line of challengesIn(join(root, 'etc/bind/panel/zones', `${zone}.zone`))) {
          seen.push(line)
          const [name, , , , value] = line.split(' ')
          await pebble.setTxt(
            `${name!.replace(/^_acme-challenge\.?/, '')}.${zone}`.replace(/^\./, ''),
            JSON.parse(value!),
          )
        }
      return result
    },
  })
}

const challengesIn = (path: string): string[] =>
  existsSync(path) ? (readFileSync(path, 'utf8').match(/^_acme-challenge\S* 60 IN TXT .*$/gm) ?? []) : []

/** A panel that gets certificates from an authority, which reaches the sites of its host. */
export async function withAuthority(pebble: Pebble, options: PanelOptions = {}) {
  const seen: string[] = []
  let refuses: (state: HostState) => boolean = () => false
  const input = await withShop({ ...options, driver: (root) => served(root, pebble, seen, (state) => refuses(state)) })
  const { panel, base, shop, path } = input
  pebble.serve = (requests) => {
    const file = join(panel.dir, 'host', acme, requests)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
  // The authority's certificates use the time of this machine: minutes ahead of it they are valid, however long an order takes.
  panel.clock.jump(Date.now() + 10 * 60_000 - panel.clock.now())
  const settings = { acme_directory_url: pebble.directory, acme_ca: pebble.ca, autossl_default: false }
  expect((await panel.patch('/settings', settings)).status).toBe(200)
  panel.forget()
  return {
    ...input,
    /** What the host refuses from now on. */
    refuse: (of: typeof refuses) => {
      refuses = of
    },
    /** Challenges answered by zones. */
    seen,
    issue: (fields: object = {}) => panel.post(`${base}/issue`, { domain_id: shop.id, ...fields }),
    autossl: async (): Promise<Json> => (await panel.get(`${path}/${shop.id}`)).body.autossl,
    ended: () => ended(panel),
  }
}

/** What happened since the last call, once no job is left: the clock keeps moving, as an authority takes real time. */
export async function ended(panel: TestPanel) {
  const open = panel.store.sqlite.prepare("SELECT 1 FROM jobs WHERE status IN ('queued', 'leased', 'running') LIMIT 1")
  while (open.get()) {
    await panel.clock.advance(100)
    await pass(10)
  }
  await panel.settle()
  return { events: panel.events(), jobs: panel.jobs() }
}
