import { beforeEach, describe, expect, test } from 'vitest'
import { type Reply, startPanel, type TestPanel } from '../harness.ts'

const password = 'correct horse battery'
const proxy = '10.0.0.1'
const [home, elsewhere] = ['198.51.100.7', '203.0.113.5']
const names = (reply: Reply) => reply.headers.getSetCookie().map((line) => line.split('=')[0])
const valueIn = (reply: Reply) => /^panel_user=([\w-]{43});/.exec(reply.headers.getSetCookie()[0]!)![1]!

describe('cookie that another site of the domain planted, over TLS', () => {
  let panel: TestPanel
  beforeEach(async () => {
    panel = await startPanel({ trusts: (address) => address === proxy })
    await panel.account('alice', { password })
    await panel.account('mallory', { password })
  })
  const secure = (address: string, more: Record<string, string> = {}) => ({
    from: proxy,
    headers: { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https', ...more },
  })
  const signIn = (username: string, address: string) =>
    panel.post('/user/auth/login', { username, password }, secure(address))
  const who = async (Cookie: string, address: string, more = {}) =>
    (await panel.get('/user/auth/session', secure(address, { Cookie, ...more }))).body.username
  const browser = { 'Sec-Fetch-Site': 'none' }

  test('does not lock out a visitor who is signed in, nor signs it in as another', async () => {
    const [own, planted] = [valueIn(await signIn('alice', home)), valueIn(await signIn('mallory', elsewhere))]
    for (const headers of [{}, browser]) {
      const both = `panel_user=${planted}; panel_user=${own}; __Host-panel_user=${own}`
      expect(await who(both, home, headers)).toBe('alice')
      expect(await who(`panel_user=${planted}; __Host-panel_user=${own}`, home, headers)).toBe('alice')
      expect(await who(`panel_user=${planted}; __Host-panel_user=gone`, home, headers)).toBeUndefined()
      const two = `__Host-panel_user=${own}; __Host-panel_user=${planted}`
      expect(await who(`${two}; panel_user=${own}`, home, headers)).toBeUndefined()
    }
  })

  test('does not sign in a visitor who is not signed in', async () => {
    const planted = `panel_user=${valueIn(await signIn('mallory', elsewhere))}`
    expect(await who(planted, home, browser)).toBeUndefined()
    const page = await panel.get('https://host.example:7711/user/', secure(home, { Cookie: planted, ...browser }))
    expect([page.status, page.headers.get('location')]).toEqual([303, '/user/login'])
  })

  test('accepts such a cookie for scripts, and for browsers at the address where its session started', async () => {
    const own = `panel_user=${valueIn(await signIn('mallory', elsewhere))}`
    expect([await who(own, home), await who(own, elsewhere, browser)]).toEqual(['mallory', 'mallory'])
  })

  test('sets and clears a copy with the prefix in the API, links and forms', async () => {
    const both = ['panel_user', '__Host-panel_user']
    const login = await signIn('alice', home)
    const [plain, copy] = login.headers.getSetCookie()
    expect(copy).toBe(`__Host-${plain}`)
    expect(plain).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=28800$/)
    const Cookie = `panel_user=${valueIn(login)}; __Host-panel_user=${valueIn(login)}`
    const headers = { Cookie, 'X-CSRF-Token': login.body.csrf_token }
    const out = await panel.post('/user/auth/logout', undefined, secure(home, headers))
    expect(out.headers.getSetCookie().map((line) => line.split(';')[0])).toEqual(both.map((name) => `${name}=`))
    const { items } = (await panel.get('/accounts')).body
    const { url } = (await panel.post(`/accounts/${items[0].id}/sso`)).body
    expect(names(await panel.get(url, secure(home)))).toEqual(both)
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://host.example:7711' }
    const signedIn = await panel.post(
      'https://host.example:7711/user/login',
      new URLSearchParams({ username: 'alice', password }).toString(),
      secure(home, { ...form, Host: 'host.example:7711' }),
    )
    expect([signedIn.status, names(signedIn)]).toEqual([303, both])
  })

  test('leaves the cookie and its copy as before without TLS, whatever a stranger claims', async () => {
    const login = (from: string, headers: Record<string, string>) =>
      panel.post('/user/auth/login', { username: 'alice', password }, { from, headers })
    expect(names(await login(home, { 'X-Forwarded-Proto': 'https' }))).toEqual(['panel_user'])
    const forwarded = { 'X-Forwarded-For': home }
    expect(names(await login(proxy, forwarded))).toEqual(['panel_user'])
    const proto = { ...forwarded, 'X-Forwarded-Proto': 'https, http' }
    const plain = await login(proxy, proto)
    expect(names(plain)).toEqual(['panel_user'])
    const Cookie = `panel_user=${valueIn(plain)}; __Host-panel_user=x`
    const seen = await panel.get('/user/auth/session', { from: home, headers: { Cookie } })
    expect(seen.body.username).toBe('alice')
  })

  test('sets the copy on the socket of nginx, too', async () => {
    const headers = { 'X-Forwarded-For': home }
    const login = await panel.post('/user/auth/login', { username: 'alice', password }, { front: true, headers })
    expect(names(login)).toEqual(['panel_user', '__Host-panel_user'])
  })
})
