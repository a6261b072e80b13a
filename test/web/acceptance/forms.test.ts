import { expect, test } from 'vitest'
import { executablePath } from '../browser/browser.ts'
import { origin } from '../visitor.ts'
import { startReached } from './reached.ts'

test.skipIf(!executablePath)(
  'answers 409 to a mailbox with a quota above the limit, with the error next to the field, the rest as typed',
  async () => {
    const reached = await startReached()
    const { panel } = reached
    try {
      const alice = await panel.account('alice', { password: 'correct horse battery' })
      await panel.patch(`/accounts/${alice.id}`, { max_email_quota_mb: 100 })
      await panel.settle()
      panel.forget()
      const { page, close, complaints } = await reached.open('alice')
      await page.goto(`${origin}/user/email/new`)
      await page.locator('[name=address]').fill('info@alice.example')
      await page.locator('[name=password]').fill('a password of its own')
      await page.locator('[name=quota_mb]').fill('500')
      const [answer] = await Promise.all([page.waitForNavigation(), page.locator('main button.main').click()])
      expect(answer?.status()).toBe(409)
      const input = page.locator('[name=quota_mb]')
      const received = await input.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${received?.split(' ').at(-1)}"]`).innerText()).toContain('100 MB')
      expect(await input.getAttribute('aria-invalid')).toBe('true')
      const values = ['address', 'password', 'quota_mb'].map((name) => page.locator(`[name=${name}]`).inputValue())
      expect(await Promise.all(values)).toEqual(['info@alice.example', '', '500'])
      expect(await page.evaluate('document.activeElement.className')).toBe('faults')
      expect([panel.events(), panel.jobs(), complaints]).toEqual([[], [], []])
      await close()
    } finally {
      await reached.end()
    }
  },
  60_000,
)
