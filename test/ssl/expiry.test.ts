import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { expectDeclared, nothing, occurred, withShop } from './fixtures.ts'
import { certificate } from './openssl.ts'

const day = 86_400_000

test('an own certificate is reported 30, 14, 7 and 2 days before its end, and at it', async () => {
  const { panel, install, alice, shop } = await withShop()
  await panel.patch('/settings', { autossl_default: false })
  const end = Date.UTC(2027, 11, 31)
  await install(certificate())
  await panel.settle()
  panel.forget()
  const notices = async () =>
    (await panel.get('/notices')).body.items
      .filter(({ kind }: Json) => kind === 'certificate-expiring')
      .map(({ severity, name, detail }: Json) => [severity, name, detail.split('. ')[0]])
  const tick = async () => {
    await panel.clock.advance(60_000)
    return (await occurred(panel)).events.filter((type) => type.startsWith('ssl.'))
  }
  panel.clock.jump(end - 31 * day - panel.clock.now())
  await panel.settle()
  panel.forget()
  expect([await tick(), await notices()]).toEqual([[], []])
  for (const days of [30, 14, 7, 2]) {
    panel.clock.jump(end - days * day - panel.clock.now() + 1)
    expect([days, await tick()]).toEqual([days, ['ssl.expiring']])
    expect(await notices()).toEqual([
      [
        'warn',
        'shop.example',
        `Its own certificate ends on 2027-12-31, in ${days - 1 === 1 ? '1 day' : `${days - 1} days`}`,
      ],
    ])
    const dismissed = await panel.post(`/accounts/${alice.id}/notices/dismiss`, {
      kind: 'certificate-expiring',
      object_id: shop.id,
    })
    expect(dismissed.status).toBe(204)
    expect([await notices(), await tick()]).toEqual([[], []])
  }
  panel.clock.jump(end - panel.clock.now())
  expect(await tick()).toEqual(['ssl.expiring'])
  expect(await notices()).toEqual([['error', 'shop.example', 'Its own certificate expired on 2027-12-31']])
  const { detail } = (await panel.get('/notices')).body.items.find(({ kind }: Json) => kind === 'certificate-expiring')
  expect(detail).toContain('panel ssl install -a alice --domain shop.example --certificate FILE --key FILE')
  expect((await expectDeclared(panel)).filter((type) => type === 'ssl.expiring')).toHaveLength(5)
  const own = (await panel.get(`/accounts/${alice.id}/events?type=ssl.expiring&limit=500`)).body.items
  expect(own.map(({ data }: Json) => data.details.days)).toEqual([30, 14, 7, 2, 0])
  await install(certificate({ to: '20301231000000Z' }))
  await panel.settle()
  panel.forget()
  expect([await notices(), await tick()]).toEqual([[], nothing.events])
})
