import { describe, expect, test } from 'vitest'
import { FairQueue } from '../../src/runtime/fair-queue.ts'
import { hashPassword, passwordsWaiting } from '../../src/runtime/security/password.ts'
import { type Reply, startPanel } from '../harness.ts'

const first = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()
const count = (answers: readonly string[], answer: string): number => answers.filter((one) => one === answer).length

describe('changes that wait in memory', () => {
  test('limits waiting changes: refuses those beyond for now, does earlier ones, and continues reading', async () => {
    const panel = await startPanel()
    const { store } = panel
    const inner = Array.from({ length: 994 }, () => store.change(() => undefined))
    const asking = panel.send('GET', 'https://host.example:7711/healthz')
    const requests = Array.from({ length: 20 }, (_, place) => panel.post('/packages', { name: `package ${place}` }))
    const [health, answers, read] = await Promise.all([asking, Promise.all(requests), panel.get('/packages')])
    await Promise.all(inner)
    const seen = answers.map(first)
    expect([count(seen, '201'), count(seen, '503 overloaded')]).toEqual([5, 15])
    for (const { status, headers } of answers) if (status === 503) expect(headers.get('retry-after')).toBe('1')
    expect([first(read), health.status]).toEqual(['200', 200])
    expect((await panel.get('/packages')).body.total).toBe(6)
    expect(first(await panel.post('/packages', { name: 'later' }))).toBe('201')
  })
  test('refuses no waiting changes of jobs and deliveries', async () => {
    const panel = await startPanel()
    const inner = Array.from({ length: 1500 }, () => panel.store.change(() => undefined))
    await expect(Promise.all(inner)).resolves.toHaveLength(1500)
  })
})

describe('passwords', () => {
  test('hashes passwords in order, up to a limit of waiting ones', async () => {
    const turns = new FairQueue(2, 3)
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const work = Array.from({ length: 5 }, () => turns.run(undefined, () => gate))
    expect(turns.waiting).toBe(3)
    await expect(turns.run(undefined, () => gate)).rejects.toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': '1' },
    })
    go()
    await Promise.all(work)
    await expect(turns.run(undefined, async () => 'again')).resolves.toBe('again')
    expect(turns.waiting).toBe(0)
  })
  test('frees the slot of a password that fails', async () => {
    const turns = new FairQueue(1, 5)
    const work = Array.from({ length: 4 }, () => turns.run(undefined, () => Promise.reject(new Error('no'))))
    expect((await Promise.allSettled(work)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    await expect(turns.run(undefined, async () => 'again')).resolves.toBe('again')
  })
  test('hashes two passwords at a time', async () => {
    const hashes = Array.from({ length: 5 }, () => hashPassword('correct horse', undefined))
    expect(passwordsWaiting()).toBe(3)
    await Promise.all(hashes)
  })
})
