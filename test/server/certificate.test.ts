import { X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import { systemActor } from '../../src/runtime/settings/system.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'
import { ended } from '../ssl/authority.ts'
import { hasPebble, Pebble } from '../ssl/pebble.ts'

const minute = 60_000
const acme = 'var/lib/panel-host/acme'
const issued = { events: ['job.completed'], jobs: ['server.certificate succeeded'] }
const refused = { events: ['job.failed'], jobs: ['server.certificate failed'] }
const nothing = { events: [], jobs: [] }

describe.skipIf(!hasPebble)('certificate of the server, from the ACME server pebble', () => {
  let pebble: Pebble
  beforeAll(async () => {
    pebble = await Pebble.start()
  })
  afterAll(() => pebble.stop())

  /** A panel with names that resolve: `here` stands for its own address. */
  async function withNames(where: Record<string, string>) {
    const records = new Map(Object.entries(where))
    let address = ''
    const lookups = {
      txt: async () => [],
      ns: async () => [],
      mx: async () => [],
      addresses: async (name: string) =>
        [records.get(name) ?? []].flat().map((one) => (one === 'here' ? address : one)),
    }
    const panel = await startPanel({ lookups })
    address = (await panel.get('/ips')).body.items[0].address
    pebble.serve = (requests) => {
      const file = join(panel.dir, 'host', acme, requests)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    }
    panel.clock.jump(Date.now() - panel.clock.now())
    const settings = { acme_directory_url: pebble.directory, acme_ca: pebble.ca, autossl_default: false }
    expect((await panel.patch('/settings', settings)).status).toBe(200)
    panel.forget()
    const after = async (ms: number) => {
      await panel.clock.advance(ms)
      return ended(panel)
    }
    /** The result of a job that starts then: names are resolved first. */
    const job = async (ms = minute) => {
      const count = async () => (await panel.get('/jobs?kind=server.certificate')).body.total
      const before = await count()
      for (await panel.clock.advance(ms); (await count()) === before; await panel.clock.advance(100)) await pass(10)
      return ended(panel)
    }
    return { panel, records, after, job, presented: () => visibleBy(panel) }
  }

  function visibleBy({ dir }: TestPanel) {
    const pem = readFileSync(join(dir, 'host/etc/panel/tls/_server.crt'), 'utf8')
    const key = readFileSync(join(dir, 'tls/key.pem'), 'utf8')
    expect(readFileSync(join(dir, 'host/etc/panel/tls/_server.key'), 'utf8')).toBe(key)
    const certificate = new X509Certificate(pem)
    const names = certificate.subjectAltName!.split(', ').map((name) => name.replace('DNS:', ''))
    return { pem, names: names.sort(), publicKey: certificate.publicKey.export({ type: 'spki', format: 'pem' }) }
  }

  const answers = ({ dir }: TestPanel) => readdirSync(join(dir, 'host', acme, '.well-known/acme-challenge'))
  const lastJob = async (panel: TestPanel) => {
    const { id } = (await panel.get('/jobs?kind=server.certificate&order=desc')).body.items[0]
    return (await panel.get(`/jobs/${id}`)).body
  }

  test('covers the names that resolve here, over the key that it had, and another once that does', async () => {
    const {
      panel,
      records,
      after,
      job,
      presented: visible,
    } = await withNames({
      'host.example': 'here',
      'webmail.host.example': '198.51.100.7',
    })
    expect(await job()).toEqual(issued)
    const first = visible()
    expect(first.names).toEqual(['host.example'])
    expect(readFileSync(join(panel.dir, 'tls/issued.pem'), 'utf8').trimEnd()).toBe(first.pem.trimEnd())
    expect(answers(panel)).toEqual([])
    expect(await after(10 * minute)).toEqual(nothing)
    records.set('webmail.host.example', 'here')
    expect(await job()).toEqual(issued)
    expect(visible().names).toEqual(['host.example', 'webmail.host.example'])
    expect(visible().publicKey).toBe(first.publicKey)
    expect(JSON.stringify([(await panel.get('/jobs')).body, panel.logged])).not.toContain('PRIVATE')
  })

  test('orders the certificate though an update of zones waits, and runs after it', async () => {
    const { panel, after } = await withNames({ 'host.example': 'here' })
    const { runtime } = panel.panel
    const update = { kind: 'dns.served.apply', lane: 'server:names' }
    await panel.store.change(() => {
      const id = enqueue(runtime, update, systemActor(panel.store.db), runtime.id())
      panel.store.sqlite.prepare('UPDATE jobs SET run_at = run_at + ? WHERE id = ?').run(10 * minute, id)
    })
    const requests = async () => (await panel.get('/jobs?kind=server.certificate')).body.total
    for (await panel.clock.advance(minute); (await requests()) === 0; await panel.clock.advance(100)) await pass(10)
    expect(panel.jobs()).toEqual(['dns.served.apply queued', 'server.certificate queued'])
    await after(10 * minute)
    expect((await lastJob(panel)).job.status).toBe('succeeded')
  })

  test('orders no certificate while no name resolves here', async () => {
    const { panel, after } = await withNames({ 'host.example': '198.51.100.7' })
    expect(await after(5 * minute)).toEqual(nothing)
    expect(existsSync(join(panel.dir, 'host/etc/panel/tls/_server.crt'))).toBe(false)
  })

  test('keeps the certificate when the authority proves no name, says why, and tries again', async () => {
    const { panel, records, after, job, presented: visible } = await withNames({ 'host.example': 'here' })
    expect(await job()).toEqual(issued)
    const before = visible().pem
    const { serve } = pebble
    pebble.serve = () => 'something else'
    records.set('webmail.host.example', 'here')
    expect(await job()).toEqual(refused)
    expect((await lastJob(panel)).job.error).toMatch(/^(?:host|webmail\.host)\.example could not be validated: .*\.$/)
    expect(visible().pem).toBe(before)
    expect(answers(panel)).toEqual([])
    expect(await after(50 * minute)).toEqual(nothing)
    pebble.serve = serve
    expect(await job(10 * minute)).toEqual(issued)
    expect(visible().names).toEqual(['host.example', 'webmail.host.example'])
  })

  test('leaves out a name that is not proven', async () => {
    const {
      panel,
      job,
      presented: visible,
    } = await withNames({ 'host.example': 'here', 'phpmyadmin.host.example': 'here' })
    const { serve } = pebble
    pebble.serve = (path, name) => (name.startsWith('phpmyadmin.') ? undefined : serve(path, name))
    expect(await job()).toEqual(issued)
    expect(visible().names).toEqual(['host.example'])
    const { log } = await lastJob(panel)
    expect(log.find(({ level }: { level: string }) => level === 'warn').message).toMatch(
      /^phpmyadmin\.host\.example is left out: /,
    )
  })

  test('renews the certificate in the last third of its lifetime, before the self-signed one would be shown again', async () => {
    const { panel, after, job, presented: visible } = await withNames({ 'host.example': 'here' })
    expect(await job()).toEqual(issued)
    const { pem } = visible()
    const { validFrom, validTo } = new X509Certificate(pem)
    panel.clock.jump((Date.parse(validTo) - Date.parse(validFrom)) * 0.6)
    expect(await after(minute)).toEqual(nothing)
    panel.clock.jump((Date.parse(validTo) - Date.parse(validFrom)) * 0.07)
    // At once: a certificate issued then is already as old, and would be renewed a minute later.
    expect(await job(0)).toEqual(issued)
    expect(visible().pem).not.toBe(pem)
  })

  test("covers the names of a node that resolve there, over a key of the machine's own", async () => {
    const { panel, job } = await withNames({ 'host.example': '198.51.100.7', 'web2.example': '192.0.2.99' })
    const machine = { hostname: 'web2.example', addresses: ['192.0.2.99'], fingerprint: 'f'.repeat(64) }
    const { root } = await second(panel, { name: 'web2', ...machine })
    pebble.serve = (requests, name) => {
      const file = join(root, acme, requests)
      return name === 'web2.example' && existsSync(file) ? readFileSync(file, 'utf8') : undefined
    }
    panel.forget()
    expect(await job()).toEqual(issued)
    expect((await lastJob(panel)).job.node).toBe('web2')
    const { subjectAltName } = new X509Certificate(readFileSync(join(root, 'etc/panel/tls/_server.crt')))
    expect(subjectAltName).toBe('DNS:web2.example')
    const key = readFileSync(join(root, 'etc/panel/tls/_server.key'), 'utf8')
    expect(readFileSync(join(panel.dir, 'tls/nodes', machine.fingerprint, 'key.pem'), 'utf8').trimEnd()).toBe(
      key.trimEnd(),
    )
    expect(existsSync(join(panel.dir, 'host/etc/panel/tls/_server.crt'))).toBe(false)
  })
})
