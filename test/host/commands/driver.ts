import { Readable } from 'node:stream'
import type { HostDriver } from '../../../src/host/contract/driver.ts'

/** A driver that answers every command with the same. */
export function driverThatAnswers(): { driver: HostDriver; answerWith(result: unknown): void } {
  let result: unknown
  const method = async () => result
  const source = async () => ({ answer: { length: 0 }, stream: () => Readable.from([]), close: async () => {} })
  const sink = async () => ({ receive: async () => 0, commit: async () => ({}), discard: async () => {} })
  const files = () => ({ act: method, read: source, readLog: source, write: sink, append: sink })
  const family = new Proxy({}, { get: (_, name) => (name === 'openBackup' ? source : method) })
  const own: Record<string, unknown> = {
    ...{
      kind: 'debian',
      features: [],
      files,
      backups: family,
      dumps: family,
      apps: family,
      logs: family,
      programs: family,
    },
    recover: async () => ({ undone: [] }),
    close: () => {},
  }
  const driver = new Proxy(own, { get: (target, name) => target[String(name)] ?? method })
  return {
    driver: driver as unknown as HostDriver,
    answerWith(answer) {
      result = answer
    },
  }
}
