import { existsSync } from 'node:fs'

export const hasPhp = existsSync('/usr/bin/php')

/** What a site has, in place of a database. */
export interface Content {
  readonly plugins?: object
  readonly themes?: object
  readonly users?: readonly object[]
}

/** PHP text of a value. */
const php = (value: unknown): string =>
  `json_decode(base64_decode('${Buffer.from(JSON.stringify(value)).toString('base64')}'), true)`

/** The part of WordPress's interface that tasks use, by file; it keeps what a database would in the script itself. */
export const coreFiles = ({ plugins = {}, themes = {}, users = [] }: Content = {}): Record<string, string> => ({
  'wp-load.php': `<?php
define('ABSPATH', __DIR__ . '/');
define('WP_PLUGIN_DIR', __DIR__ . '/wp-content/plugins');
define('ARRAY_A', 'ARRAY_A');
function get_theme_root() { return __DIR__ . '/wp-content/themes'; }
function is_multisite() { return false; }
function remove_all_filters($hook, $priority) { unset($GLOBALS['wp_filter'][$hook][$priority]); }
function get_option($name, $default = false) {
  foreach ($GLOBALS['wp_filter']["pre_option_$name"][0] ?? [] as $hook) return $hook['function']();
  return ['active_plugins' => ['good/good.php'], 'stylesheet' => 'child', 'template' => 'parent'][$name] ?? $default;
}
function get_site_transient($name) {
  $plugin = (object) ['new_version' => '2.0'];
  return (object) ['response' => $name === 'update_plugins' ? ['good/good.php' => $plugin] : ['child' => ['new_version' => '3.1']]];
}
final class Panel_Test_Theme {
  private $data;
  function __construct($data) { $this->data = $data; }
  function get($name) { return $this->data[$name] ?? ''; }
}
function wp_get_themes() { return array_map(static fn($data) => new Panel_Test_Theme($data), ${php(themes)}); }
function get_users($query) { return array_map(static fn($data) => (object) $data, ${php(users)}); }
function get_user_by($field, $name) {
  foreach (get_users([]) as $user) if ($user->user_login === $name) return $user;
  return false;
}
function nocache_headers() {}
function wp_set_auth_cookie($id) { echo "signed in as $id"; }
function wp_safe_redirect($url) { echo " and led to $url"; }
function admin_url() { return 'http://alice.example/wp-admin/'; }
require __DIR__ . '/wp-config.php';
final class Panel_Test_Database {
  public $prefix = 'wp_';
  public $base_prefix = 'wp_';
  function get_row($query, $form) { return ['Checksum' => md5((string) @file_get_contents(ABSPATH . 'rows'))]; }
  function esc_like($text) { return $text; }
  function prepare($query, $value) { return str_replace('%s', "'$value'", $query); }
  function get_col($query) { return file_exists(ABSPATH . 'rows') ? ['wp_posts', 'wp_options'] : (file_exists(ABSPATH . 'tables') ? ['wp_left'] : []); }
  function query($query) { file_put_contents(ABSPATH . 'queries', "$query\n", FILE_APPEND); }
}
final class Panel_Test_Rewrite {
  function set_permalink_structure($structure) { update_option('permalink_structure', $structure); }
}
$wpdb = new Panel_Test_Database();
$wp_rewrite = new Panel_Test_Rewrite();
function update_option($name, $value) {
  $GLOBALS['installed']['options'][$name] = $value;
  file_put_contents(ABSPATH . 'installed.json', json_encode($GLOBALS['installed']));
}
if (!defined('WP_INSTALLING') && isset($GLOBALS['wp_filter']) && get_option('active_plugins') !== []) exit('plugins were loaded');
`,
  'wp-admin/includes/upgrade.php': `<?php
function wp_upgrade() {
  if (file_exists(ABSPATH . 'wp-includes/fails')) wp_die('The tables could not be changed.');
  file_put_contents(ABSPATH . 'upgraded', file_get_contents(ABSPATH . 'wp-includes/version.php'));
}
function __($text) { return $text; }
function wp_slash($text) { return addslashes($text); }
function is_wp_error($thing) { return false; }
function wp_insert_term($name, $taxonomy) { return ['term_id' => 1]; }
function flush_rewrite_rules($hard) {}
function wp_install($title, $user, $email, $public, $deprecated, $password, $language) {
  if ($title === 'fails') wp_die('The database is down.');
  $GLOBALS['installed'] = ['arguments' => func_get_args(), 'url' => WP_SITEURL, 'database' => [DB_NAME, DB_USER, DB_PASSWORD]];
  wp_new_blog_notification($title, '', 7, '');
  wp_install_defaults(7);
  return ['user_id' => 7];
}
function wp_die($message) { foreach ($GLOBALS['wp_filter']['wp_die_handler'][0] as $hook) $hook['function']()($message); }
`,
  'wp-admin/includes/plugin.php': `<?php function get_plugins() { return ${php(plugins)}; }`,
})
