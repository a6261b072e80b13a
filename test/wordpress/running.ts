import { occurred } from '../domains/fixtures.ts'
import { type Content, coreFiles } from './core.ts'
import { configOf, root, withSites } from './fixtures.ts'

const content: Content = {
  plugins: {
    'good/good.php': { Name: 'Good &amp; <b>small</b>', Version: '1.0' },
    'hello.php': { Name: 'Hello', Version: '' },
  },
  themes: { child: { Name: 'Child', Version: '3.0' }, parent: { Name: 'Parent' }, other: {} },
  users: [
    { ID: '7', user_login: 'ed', display_name: 'Ed\nitor', user_email: 'ed@a.example', roles: ['administrator'] },
    { ID: 8, user_login: 'al', display_name: 'Al', user_email: 'al@a.example', roles: [] },
  ],
}

/** The account alice with a site whose code runs. */
export async function withRunningSite(config = configOf(), installed = content) {
  const sites = await withSites({ trustTenants: true })
  sites.wordpress(root, config)
  for (const [name, text] of Object.entries(coreFiles(installed))) sites.write(`${root}/${name}`, text)
  const { 'alice.example': site } = await sites.scan()
  await occurred(sites.panel)
  const at = `${sites.path}/${site!['id']}`
  return { ...sites, at, list: (what: string) => sites.panel.get(`${at}/${what}`) }
}
