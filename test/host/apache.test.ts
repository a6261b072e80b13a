import { describe, expect, test } from 'vitest'
import { rootsIn } from '../../src/host/debian/apache/php-settings.ts'
import { renderAccount } from '../../src/host/parts/render.ts'
import { account, type Over, type Site, server, siteOf } from './helpers.ts'

const rendered = (sites: readonly Partial<Site>[], over: Over = {}, web: object = {}, facts = {}) => {
  const all = sites.map((site, n) => siteOf(`${'abc'[n]}.example`, { handler: 'apache', ...site }))
  const state = account({ ...over, parts: { ...over.parts, web: { sites: all, idleMinutes: 10, ...web } } })
  return renderAccount(state, server, ['web'], facts).get('web')!.files
}
const textOf = (files: ReturnType<typeof rendered>, path: string) =>
  files.find((one) => one.path === path)?.content ?? ''
const config = 'etc/panel/apache/bob/sites.conf'

describe('the handler apache', () => {
  test('is a virtual host of nginx that passes everything on, and one of Apache for each scheme', async () => {
    const files = rendered([{ tls: true, httpsRedirect: true, preview: `${'a'.repeat(32)}.previews.example` }])
    await expect(textOf(files, 'etc/panel/nginx/sites/a.example.conf')).toMatchFileSnapshot('texts/site-apache.txt')
    await expect(textOf(files, config)).toMatchFileSnapshot('texts/apache-sites.txt')
    for (const unit of ['panel-apache-bob.service', 'panel-site-https-bob.service', 'panel-site-https-bob.socket'])
      await expect(textOf(files, `etc/systemd/system/${unit}`)).toMatchFileSnapshot(`texts/${unit}.txt`)
  })

  test("has one Apache for all of an account's sites, with the PHP of each", () => {
    const files = rendered([{ php: { version: '8.1', bodyMb: 65, executionS: 30 } }, {}, { handler: 'php' }])
    expect(files.filter(({ path }) => path.endsWith('panel-apache-bob.service'))).toHaveLength(1)
    const text = textOf(files, config)
    expect(text.match(/ServerName http.*/g)).toEqual(
      ['a', 'a', 'b', 'b'].map(
        (name, n) => `ServerName ${n % 2 ? 'https' : 'http'}://${name}.example:${n % 2 ? 443 : 80}`,
      ),
    )
    expect(text).toMatch(/php\/bob\/8\.1-\w+\/shared\.sock/)
    expect(text).toMatch(/php\/bob\/8\.4-\w+\/shared\.sock/)
    expect(rootsIn(text, 'bob')).toEqual(['sites/a.example/public', 'sites/b.example/public'])
  })

  test('never serves the text of scripts that do not run', () => {
    expect(textOf(rendered([{}], {}, { php: false }), config)).toContain('SetHandler "panel-none"')
  })

  test('goes with its last site, and with a suspension', () => {
    const paths = (files: ReturnType<typeof rendered>) =>
      files.map(({ path }) => path).filter((path) => /apache|panel-site/.test(path))
    expect(paths(rendered([{ handler: 'php' }]))).toEqual([])
    expect(paths(rendered([{}], { suspended: true }))).toEqual([])
  })

  test('shows nothing where there is no Apache', () => {
    const files = rendered([{}], {}, {}, { apache: false })
    expect(files.filter(({ path }) => /apache/.test(path))).toEqual([])
    expect(textOf(files, 'etc/panel/nginx/sites/a.example.conf')).toMatch(/location \/ \{\n {4}return 503;/)
  })

  test('never ends where idle minutes are 0', () => {
    expect(
      textOf(rendered([{}], {}, { idleMinutes: 0 }), 'etc/systemd/system/panel-site-http-bob.service'),
    ).not.toContain('exit-idle')
  })
})
