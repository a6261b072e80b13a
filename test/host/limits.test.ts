import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { account, apply, bench, nameOf } from './helpers.ts'

const dropIn = (slice: string) => `etc/systemd/system/${slice}.slice.d/50-panel.conf`

describe('process limits', () => {
  test("sets limits on the account's slices, including those of sessions, and removes them with the account", async () => {
    const { driver, read, has } = bench()
    const limits = { cpuPercent: 150, memoryMb: 512, processes: 0, ioMbps: 5 }
    await apply(driver, account({ parts: { limits } }))
    const text = [
      '[Slice]',
      'CPUQuota=150%',
      'MemoryMax=512M',
      'TasksMax=1',
      'IOReadBandwidthMax=/home 5M',
      'IOWriteBandwidthMax=/home 5M',
      '',
    ].join('\n')
    expect(read(dropIn('panel-bob'))).toBe(text)
    expect(read(dropIn(`user-${account().uid}`))).toBe(text)
    await driver.remove(nameOf(account()))
    expect(has('etc/systemd/system/panel-bob.slice.d')).toBe(false)
  })

  test('an account whose package names no limits cannot take the whole machine', async () => {
    const { driver, read } = bench()
    await apply(driver, account())
    const text = '[Slice]\nCPUQuota=100%\nMemoryMax=25%\nTasksMax=200\n'
    expect(read(dropIn('panel-bob'))).toBe(text)
    expect(read(dropIn(`user-${account().uid}`))).toBe(text)
  })

  test("sets the limits of the account's package", async () => {
    const panel = await startPanel()
    const isolation = { cpu_pct: 50, ep: 3, nproc: 40 }
    const plan = await panel.post('/packages', { name: 'tight', isolation })
    await panel.post('/accounts', { username: 'alice', domain: 'alice.example', package_id: plan.body.id })
    await panel.settle()
    const host = (path: string) => readFileSync(join(panel.dir, 'host', path), 'utf8')
    expect(host(dropIn('panel-alice'))).toBe('[Slice]\nCPUQuota=50%\nMemoryMax=25%\nTasksMax=40\n')
    await panel.patch(`/packages/${plan.body.id}`, { isolation: { nproc: 50 } })
    await panel.settle()
    expect(host(dropIn('panel-alice'))).toBe('[Slice]\nCPUQuota=100%\nMemoryMax=25%\nTasksMax=50\n')
    await panel.patch(`/packages/${plan.body.id}`, { isolation })
    await panel.settle()
    expect(host('etc/panel/php/8.4-e3b0c44298fc-alice.conf')).toContain('pm.max_children = 3\n')
  })
})
