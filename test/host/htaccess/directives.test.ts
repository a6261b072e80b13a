import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDirectives } from '../../../src/host/homes/htaccess/directives.ts'
import { evaluate } from '../../../src/host/homes/htaccess/evaluate.ts'
import { runs } from '../../fuzz.ts'

const read = (text: string) => readDirectives(text).map(({ line, name, args }) => `${line} ${name} ${args}`.trim())

describe('directives of a file, as Apache reads them', () => {
  test.each([
    ['lines of Windows', 'Deny from all\r\nOptions -Indexes\r\n', ['1 Deny from all', '2 Options -Indexes']],
    ['a continued line', 'De\\\nny \\\r\n from\tall\nOrder x', ['1 Deny from\tall', '4 Order x']],
    ['a comment that goes on', '# no \\\nDeny from all\nOrder x', ['3 Order x']],
    ['a backslash at the end of the file', 'Deny from all\\', ['1 Deny from all']],
    ['a name in quotes', "\"Deny\" from all\n'Or\\'der' x", ['1 Deny from all', "2 Or'der x"]],
    ['white space', ' \t\v\fDeny\tfrom all \t\n\n   \n#x\n', ['1 Deny from all']],
    [
      'sections',
      '<Files "x">\nDeny from all\n</Files>\n<IfModule>\n<limit GET>\nOrder x\n',
      ['2 Deny from all', '6 Order x'],
    ],
    ['an unknown section', '<Foo bar>\nDeny from all\n</Foo>', ['1 <Foo bar>', '2 Deny from all', '3 </Foo>']],
    ['no line end', 'Deny from all', ['1 Deny from all']],
    ['nothing', '', []],
  ])('%s', (_what, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('knows the sections around each', () => {
    const text = '<IfModule a>\n<Files b>\n<LimitExcept GET>\nDeny x\n</LimitExcept>\nAllow y\n</IfModule>\nOrder z'
    const enclosing = readDirectives(text).map(({ name, sections }) => [name, sections.map((one) => one.name)])
    expect(enclosing).toEqual([
      ['Deny', ['ifmodule', 'files', 'limitexcept']],
      ['Allow', ['ifmodule', 'files']],
      ['Order', []],
    ])
  })

  const names = fc.constantFrom('Deny', 'rewriteRULE', 'Header', 'Nonsense', 'php_value', 'REQUIRE', 'AuthType')
  const directive = fc.tuple(names, fc.constantFrom('all', '"a b"', 'x\ty', '#', '%{X} [F]'))
  const decorated = fc.oneof(
    directive.map(([name, args]) => `${name} ${args}`),
    directive.map(([name, args]) => `\t${name.toUpperCase()}\t\\\n${args}\r`),
    directive.map(([name, args]) => `# ${name} ${args}`),
    directive.map(
      ([name, args]) =>
        `<IfModule x>\n<Files "${name}">\n<Limit GET>\n${name} ${args}\n</Limit>\n</Files>\n</IfModule>`,
    ),
    directive.map(([name, args]) => `<LimitExcept GET>\n${name} ${args}\n</LimitExcept>`),
    fc.constant(''),
  )

  test('finds each directive once at its line, whatever is around it', () => {
    fc.assert(
      fc.property(fc.array(decorated, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('\n')
        const expected = pieces.filter((piece) => piece !== '' && !piece.startsWith('#'))
        const found = readDirectives(text)
        expect(found).toHaveLength(expected.length)
        const lines = text.split('\n')
        for (const { line, name } of found) expect(lines[line - 1]!.toLowerCase()).toContain(name.toLowerCase())
      }),
      runs(),
    )
  })

  test('reads any bytes in a time that grows with their number, and shows only names', () => {
    const pieces = [
      '<if ',
      '</if>',
      '</files>',
      '[',
      ',',
      'F',
      ']',
      '\\',
      '\n',
      '"',
      "'",
      ' ',
      'RewriteRule ',
      '<',
      '>',
      '\r',
      '\0',
      'é',
      'php_value ',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 2_000 }), fc.nat(30), (parts, times) => {
        const text = parts
          .join('')
          .repeat(times)
          .slice(0, 64 * 1024)
        for (const handler of ['apache', 'php-front'])
          for (const { directive, line } of evaluate(readDirectives(text), { handler, isOfRoot: true })) {
            expect(directive).toMatch(/^[!-~]{0,64}$/)
            expect(line).toBeGreaterThan(0)
          }
      }),
      runs(50),
    )
    const began = performance.now()
    for (const piece of ['[', ',', '<if\n', '<if\n</files\n', '"\\"', 'RewriteRule [,', '</if\n', 'php_value a '])
      evaluate(readDirectives(piece.repeat((64 * 1024) / piece.length)), { handler: 'apache', isOfRoot: true })
    evaluate(readDirectives(`RewriteRule ${'[,F'.repeat(20_000)}`), { handler: 'apache', isOfRoot: true })
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

describe('what Apache obeys', () => {
  const obeyed = (text: string) =>
    evaluate(readDirectives(text), { handler: 'apache', isOfRoot: true }).map((one) => [
      one.directive,
      one.kind,
      one.obeyed,
    ])

  test.each([
    ['deny FROM all', 'Deny', 'access', true],
    ['Dney from all', 'Dney', 'other', false],
    ['AuthLDAPUrl ldap://x', 'AuthLDAPUrl', 'access', false],
    ['\xef\xbb\xbfDeny from all', 'Deny', 'access', false],
    ['SSLRequireSSL', 'SSLRequireSSL', 'access', true],
    ['RewriteRule ^x - [R=301,F]', 'RewriteRule', 'access', true],
    ['RewriteRule ^x - [L,forbidden]', 'RewriteRule', 'access', true],
    ['RewriteRule ^F$ /x [L]', 'RewriteRule', 'rewrite', true],
    ['RedirectMatch 301 ^/a /b', 'RedirectMatch', 'redirect', true],
    ['ExpiresActive on', 'ExpiresActive', 'header', true],
    ['php_value memory_limit 1G', 'php_value', 'php', true],
    ['php_flag display_errors on', 'php_flag', 'php', true],
    ['php_admin_value memory_limit 1G', 'php_admin_value', 'php', false],
    ['php_value disable_functions ""', 'php_value', 'php', false],
    ['AddHandler application/x-httpd-ea-php81 .php', 'AddHandler', 'php', false],
    ['SetHandler cgi-script', 'SetHandler', 'other', false],
    ['AddType image/webp .webp', 'AddType', 'other', true],
    ['SecFilterEngine Off', 'SecFilterEngine', 'other', false],
    ['ErrorLog /x', 'ErrorLog', 'other', false],
  ])('%s', (text, directive, kind, isEffective) => {
    expect(obeyed(text)).toEqual([[directive, kind, isEffective]])
  })

  test('takes settings of PHP for a directory, and none for some of its files', () => {
    const text =
      '<IfModule mod_php7.c>\nphp_value a.b 1\n</IfModule>\n<Files x>\nphp_value a.b 2\n</Files>\n<IfModule !mod_php7.c>\nphp_value a.b 3\n</IfModule>'
    expect(obeyed(text).map(([, , is]) => is)).toEqual([true, false, false])
  })
})
