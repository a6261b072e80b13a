import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Scheduler } from '../../src/areas/cron/scheduler.ts'
import { type Json, type PanelOptions, startPanel } from '../harness.ts'

/** A panel that runs commands of accounts, with the account alice, and helpers for her cron jobs. */
export async function withAlice(options: PanelOptions = { trustTenants: true }) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  const path = `/accounts/${alice.id}/cron/jobs`
  const home = join(panel.dir, 'host/home/alice')
  const runs = async (id: string): Promise<Json[]> => (await panel.get(`${path}/${id}/runs`)).body.items
  return {
    panel,
    alice,
    path,
    home,
    create: (schedule: string, command: string, fields: object = {}) =>
      panel.post(path, { schedule, command, ...fields }),
    /** A cron job whose creation is forgotten. */
    async job(command: string, fields: object = {}, schedule = '@yearly'): Promise<string> {
      const { body } = await panel.post(path, { schedule, command, ...fields })
      await panel.settle()
      panel.forget()
      return body.cron_job.id
    },
    run: (id: string) => panel.post(`${path}/${id}/run`),
    runs,
    /** The newest run, with its output. */
    async last(id: string): Promise<Json> {
      const [newest] = await runs(id)
      return (await panel.get(`${path}/${id}/runs/${newest.id}`)).body
    },
    scheduler: () => panel.panel.engines.get('cron') as Scheduler,
    /** The current lines of a file in the home. */
    lines: (name: string): string[] => {
      try {
        return readFileSync(join(home, name), 'utf8').split('\n').filter(Boolean)
      } catch {
        return []
      }
    },
  }
}

/** Processes of this machine whose command line contains a text. */
export const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
      } catch {
        return false
      }
    })

/** Waits until something holds, however busy the machine is. */
export const eventually = <T>(look: () => T) => expect.poll(look, { interval: 20 })
