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
}
