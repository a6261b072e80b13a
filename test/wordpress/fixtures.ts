import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withAlice } from '../domains/fixtures.ts'
import type { Json, PanelOptions } from '../harness.ts'

export const root = 'sites/alice.example/public'

/** As WordPress writes it. */
export const configOf = (more = '', prefix = 'wp_'): string => `<?php
/** The base configuration for WordPress */
define( 'DB_NAME', 'alice_wp' );
define( 'DB_USER', 'alice_wp' );
define( 'DB_PASSWORD', 'it\\'s a "secret" // of /* the site' );
define( 'DB_HOST', 'localhost' );
define( 'AUTH_KEY', '{|while(1){};exec(";?>|}' );
$table_prefix = '${prefix}';
${more}
/* That's all, stop editing! */
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`

export const versionOf = (version: string): string => `<?php
/** @global string $wp_version */
$wp_version = '${version}';
$wp_db_version = 58975;
`

/** A panel with the account alice, and WordPress in her home. */
export async function withSites(options: PanelOptions = {}) {
  const alice = await withAlice(options)
  const { panel } = alice
  const path = `/accounts/${alice.alice.id}/wordpress`
  const place = (name: string): string => join(panel.dir, 'host/home/alice', name)
  const write = (name: string, content: string | Buffer): string => {
    mkdirSync(dirname(place(name)), { recursive: true })
    writeFileSync(place(name), content)
    return place(name)
  }
  const core = (directory: string, version = '6.8.1'): void => {
    write(`${directory}/wp-includes/version.php`, versionOf(version))
    write(`${directory}/wp-settings.php`, '<?php')
  }
  return {
    ...alice,
    path,
    place,
    write,
    core,
    remove: (name: string): void => rmSync(place(name), { recursive: true }),
    wordpress: (directory: string, config = configOf(), version = '6.8.1'): void => {
      core(directory, version)
      write(`${directory}/wp-config.php`, config)
    },
    /** Scans, and answers all sites by domain and path. */
    async scan(): Promise<Record<string, Json>> {
      const reply = await panel.post(`${path}/scan`)
      if (reply.status !== 202) throw new Error(JSON.stringify(reply.body))
      await panel.settle()
      const { items } = (await panel.get(`${path}?per_page=500`)).body
      return Object.fromEntries(
        items.map((site: Json) => [`${site.domain}${site.path === '/' ? '' : site.path}`, site]),
      )
    },
  }
}
