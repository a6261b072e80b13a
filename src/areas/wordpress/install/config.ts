import { randomBytes } from 'node:crypto'

const salts = [
  'AUTH_KEY',
  'SECURE_AUTH_KEY',
  'LOGGED_IN_KEY',
  'NONCE_KEY',
  'AUTH_SALT',
  'SECURE_AUTH_SALT',
  'LOGGED_IN_SALT',
  'NONCE_SALT',
] as const

export interface DatabaseLogin {
  readonly database: string
  readonly user: string
  /** Without quotes or backslashes. */
  readonly password: string
}

const define = (name: string, value: string): string => `define( '${name}', '${value}' );`

/** The text of a new site's `wp-config.php`, with new salts. */
export const configText = ({ database, user, password }: DatabaseLogin): string => `<?php
// The settings of this site: https://developer.wordpress.org/advanced-administration/wordpress/wp-config/

${define('DB_NAME', database)}
${define('DB_USER', user)}
${define('DB_PASSWORD', password)}
${define('DB_HOST', 'localhost')}
${define('DB_CHARSET', 'utf8mb4')}
${define('DB_COLLATE', '')}

// Whoever knows these can forge sessions. New ones end all sessions.
${salts.map((name) => define(name, randomBytes(48).toString('base64url'))).join('\n')}

$table_prefix = 'wp_';

define( 'WP_DEBUG', false );

if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}

require_once ABSPATH . 'wp-settings.php';
`
