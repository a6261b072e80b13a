import type { WordpressTask } from '../contract/commands/wordpress.ts'

/** What is asked of a site, each as a script that follows `begin` once WordPress is loaded. */
export const taskScripts: Readonly<Record<WordpressTask, string>> = {
  plugins: `
require_once ABSPATH . 'wp-admin/includes/plugin.php';
$active = array_flip((array) get_option('active_plugins', []));
$everywhere = is_multisite() ? (array) get_site_option('active_sitewide_plugins', []) : [];
$known = get_site_transient('update_plugins');
$items = [];
foreach (array_slice(get_plugins(), 0, 1000, true) as $file => $data) {
  $folder = dirname($file);
  $update = is_object($known) ? ($known->response[$file] ?? null) : null;
  $items[] = array_filter([
    'slug' => $folder === '.' ? basename($file, '.php') : $folder,
    'name' => Panel_Task::text($data['Name'], 200),
    'version' => Panel_Task::text($data['Version'], 32),
    'update' => Panel_Task::text(is_object($update) ? ($update->new_version ?? '') : '', 32),
  ], static fn($value) => $value !== '') + ['active' => isset($active[$file]) || isset($everywhere[$file])];
}
Panel_Task::answer(['items' => $items]);
`,
  themes: `
$active = get_option('stylesheet');
$parent = get_option('template');
$known = get_site_transient('update_themes');
$items = [];
foreach (array_slice(wp_get_themes(), 0, 1000, true) as $slug => $theme) {
  $update = is_object($known) ? ($known->response[$slug] ?? null) : null;
  $items[] = array_filter([
    'slug' => (string) $slug,
    'name' => Panel_Task::text($theme->get('Name'), 200),
    'version' => Panel_Task::text($theme->get('Version'), 32),
    'update' => Panel_Task::text(is_array($update) ? ($update['new_version'] ?? '') : '', 32),
  ], static fn($value) => $value !== '') + ['active' => $slug === $active || $slug === $parent];
}
Panel_Task::answer(['items' => $items]);
`,
  users: `
$items = [];
foreach (get_users(['number' => 1000, 'orderby' => 'ID', 'order' => 'ASC']) as $user) {
  $roles = array_slice(array_values(array_map(static fn($role) => Panel_Task::text($role, 100), $user->roles)), 0, 20);
  $items[] = [
    'id' => (int) $user->ID,
    'username' => Panel_Task::text($user->user_login, 60),
    'name' => Panel_Task::text($user->display_name, 250),
    'email' => Panel_Task::text($user->user_email, 100),
    'roles' => $roles,
    'administrator' => in_array('administrator', $roles, true),
  ];
}
Panel_Task::answer(['items' => $items]);
`,
  signIn: String.raw`
$input = Panel_Task::input();
$first = ['role' => 'administrator', 'number' => 1, 'orderby' => 'ID', 'order' => 'ASC'];
$user = isset($input['user']) ? get_user_by('login', $input['user']) : (get_users($first)[0] ?? false);
if (!$user || !in_array('administrator', $user->roles, true)) Panel_Task::answer(['user' => null]);
$id = (int) $user->ID;
$until = time() + $input['seconds'];
$code = <<<PHP
<?php
// Signs in once, until it expires; the panel made it.
if (time() >= $until) unlink(__FILE__);
\$token = \$_GET['token'] ?? '';
\$known = is_string(\$token) && hash_equals('{$input['hash']}', hash('sha256', \$token));
// Of several requests at once, one removes it.
if (!\$known || time() >= $until || !@unlink(__FILE__)) { http_response_code(404); exit('The link has expired, or was used.'); }
require __DIR__ . '/wp-load.php';
nocache_headers();
header('Referrer-Policy: no-referrer');
wp_set_auth_cookie($id);
wp_safe_redirect(admin_url());
exit;
PHP;
// The web server opens it before PHP does; it has no secret.
umask(0022);
$file = @fopen(ABSPATH . $input['file'], 'x');
if (!$file || fwrite($file, $code) !== strlen($code)) Panel_Task::fail('The file that signs in could not be written.');
Panel_Task::answer(['user' => Panel_Task::text($user->user_login, 60)]);
`,
  install: `
$input = Panel_Task::input();
// What is in this database is of an attempt that did not end.
foreach ($wpdb->get_col($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like($wpdb->prefix) . '%')) as $table)
  $wpdb->query("DROP TABLE IF EXISTS $table");
// WordPress leaves these to whoever defines them first.
function wp_install_defaults($user_id) {
  $made = wp_insert_term(__('Uncategorized'), 'category');
  if (!is_wp_error($made)) update_option('default_category', $made['term_id']);
}
function wp_new_blog_notification($title, $url, $user_id, $password) {}
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
$done = wp_install($input['title'], $input['user'], $input['email'], true, '', wp_slash($input['password']), $input['locale'] ?? '');
$wp_rewrite->set_permalink_structure($input['permalinks']);
foreach (['default_comment_status' => 'closed', 'default_ping_status' => 'closed'] as $name => $value) update_option($name, $value);
flush_rewrite_rules(false);
$user = get_user_by('login', $input['user']);
if (!$user || (int) $user->ID !== (int) $done['user_id']) Panel_Task::fail('The tables of the site could not be filled.');
Panel_Task::answer(['user' => (int) $user->ID]);
`,
  maintenance: `
$file = Panel_Task::core() . '/.maintenance';
umask(0022);
// WordPress heeds it for ten minutes from the time that it names.
if (!Panel_Task::input()['enabled']) @unlink($file);
elseif (@file_put_contents($file, '<?php $upgrading = time();') === false) Panel_Task::fail('The file .maintenance could not be written.');
if (!Panel_Task::input()['enabled'] && file_exists($file)) Panel_Task::fail('The file .maintenance could not be removed.');
Panel_Task::answer(['done' => true]);
`,
  places: `
Panel_Task::answer(['plugins' => Panel_Task::place(WP_PLUGIN_DIR), 'themes' => Panel_Task::place(get_theme_root())]);
`,
  visit: '',
  contents: `
// Names of tables, without the prefix, whose rows come from visitors and editors.
$valuable = '~^(?:\\d+_)?(?:posts|users|comments|.*(?:order|entries|entry|submission|booking|donation|subscription|customer|lead|payment|transaction).*)$~';
$tables = [];
foreach (array_slice($wpdb->get_col($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like($wpdb->base_prefix) . '%')), 0, 2000) as $table)
  if (preg_match($valuable, substr($table, strlen($wpdb->base_prefix))))
    $tables[] = ['name' => (string) $table, 'checksum' => (string) ($wpdb->get_row('CHECKSUM TABLE \`' . str_replace('\`', '\`\`', $table) . '\`', ARRAY_A)['Checksum'] ?? '')];
Panel_Task::answer(['tables' => $tables]);
`,
  upgradeTables: `
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_upgrade();
Panel_Task::answer(['done' => true]);
`,
  touch: `
$now = time();
$below = new RecursiveDirectoryIterator(Panel_Task::path(Panel_Task::input()['directory']), FilesystemIterator::SKIP_DOTS);
foreach (new RecursiveIteratorIterator($below) as $file)
  if (!$file->isLink() && $file->isFile() && substr($file->getFilename(), -4) === '.php') @touch($file->getPathname(), $now);
Panel_Task::answer(['done' => true]);
`,
  endSignIn: `
@unlink(Panel_Task::core() . '/' . Panel_Task::input()['file']);
Panel_Task::answer(['gone' => true]);
`,
}

/** Tasks that need none of the site's code. */
export const withoutWordpress: ReadonlySet<WordpressTask> = new Set(['endSignIn', 'maintenance', 'touch'])
