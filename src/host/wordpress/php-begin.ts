/**
 * What each script begins with: it loads the site's WordPress without its plugins, its theme and its caches, and answers
 * once. Whatever the site's code prints is dropped.
 */
export const begin = String.raw`
final class Panel_Task {
  private static array $request;
  private static bool $answered = false;
  private static string $page = '';
  private static int $bytes = 0;

  private static function prepare(string $encoded, string $end): void {
    self::$request = json_decode(base64_decode($encoded), true);
    ini_set('display_errors', '0');
    ini_set('log_errors', '0');
    register_shutdown_function([self::class, $end]);
    self::define(['WP_CACHE' => false, 'DISABLE_WP_CRON' => true, 'WP_HTTP_BLOCK_EXTERNAL' => true,
      'WP_DISABLE_FATAL_ERROR_HANDLER' => true]);
    self::define(self::$request['constants']);
  }

  static function begin(string $encoded): void {
    self::prepare($encoded, 'end');
    ob_start(static fn() => '', 4096);
    self::visit(self::$request['url']);
    self::define(['WPMU_PLUGIN_DIR' => '/nonexistent', 'WP_USE_THEMES' => false]);
    foreach (['pre_option_active_plugins' => [], 'pre_site_option_active_sitewide_plugins' => [],
      'pre_option_template' => 'none', 'pre_option_stylesheet' => 'none', 'enable_maintenance_mode' => false, 'pre_wp_mail' => true,
      'enable_loading_object_cache_dropin' => false, 'enable_loading_advanced_cache_dropin' => false] as $hook => $value)
      self::hook($hook, static fn() => $value);
    foreach (['wp_die_handler', 'wp_die_ajax_handler', 'wp_die_json_handler', 'wp_die_xml_handler'] as $hook)
      self::hook($hook, static fn() => [self::class, 'died']);
  }

  /** For a page, with all that the site loads. */
  static function beginPage(string $encoded): void {
    self::prepare($encoded, 'endOfPage');
    ob_start([self::class, 'printed'], 65536);
    self::visit(rtrim(self::$request['url'], '/') . self::$request['input']['path']);
  }

  /** Keeps the begin of a page. */
  static function printed(string $text): string {
    self::$bytes += strlen($text);
    if (strlen(self::$page) < 2097152) self::$page .= $text;
    return '';
  }

  /** What the site does at the end comes first. */
  static function endOfPage(): void {
    register_shutdown_function([self::class, 'answerPage']);
  }

  static function answerPage(): void {
    while (ob_get_level() > 0 && @ob_end_flush());
    $fatal = self::fatal();
    $status = http_response_code();
    preg_match('~<title[^>]*>(.*?)</title>~is', self::$page, $title);
    $visible = strip_tags((string) preg_replace('~<(script|style|template)\b.*?</\1>~is', ' ', self::$page));
    preg_match_all('~[\p{L}\p{N}]{4,30}~u', html_entity_decode($visible, ENT_QUOTES), $words);
    self::say(['answer' => ($fatal === null ? [] : ['fatal' => $fatal]) + [
      'status' => $fatal !== null ? 500 : (is_int($status) ? $status : 200),
      'title' => self::text($title[1] ?? '', 200),
      'bytes' => self::$bytes,
      'complete' => stripos(substr(self::$page, -4096), '</html>') !== false,
      'words' => array_slice(array_keys(array_flip(array_map('strval', $words[0] ?? []))), 0, 300),
    ]]);
  }

  /** As a visitor of the site would ask. */
  private static function visit(string $url): void {
    $parts = parse_url($url);
    $_SERVER = array_merge($_SERVER, ['HTTP_HOST' => $parts['host'], 'SERVER_NAME' => $parts['host'], 'REQUEST_METHOD' => 'GET',
      'REQUEST_URI' => ($parts['path'] ?? '/') . (isset($parts['query']) ? "?{$parts['query']}" : ''), 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REMOTE_ADDR' => '127.0.0.1',
      'SERVER_PORT' => $parts['scheme'] === 'https' ? '443' : '80', 'PHP_SELF' => '/index.php', 'HTTP_USER_AGENT' => 'panel']);
    if ($parts['scheme'] === 'https') $_SERVER['HTTPS'] = 'on';
    if (isset($parts['query'])) parse_str($parts['query'], $_GET);
  }

  private static function define(array $constants): void {
    foreach ($constants as $name => $value) define($name, $value);
  }

  /** WordPress takes over hooks that exist before it is loaded. */
  private static function hook(string $name, callable $function): void {
    $GLOBALS['wp_filter'][$name][0]['panel'] = ['function' => $function, 'accepted_args' => 0];
  }

  static function core(): string {
    return self::$request['core'];
  }

  /** The file that loads WordPress. */
  static function loader(): string {
    return self::core() . '/wp-load.php';
  }

  /** From here on options are what the site has stored. */
  static function loaded(): void {
    foreach (['pre_option_active_plugins', 'pre_site_option_active_sitewide_plugins', 'pre_option_template', 'pre_option_stylesheet'] as $hook)
      remove_all_filters($hook, 0);
  }

  static function input(): array {
    return self::$request['input'];
  }

  static function died($message): void {
    $text = is_object($message) && method_exists($message, 'get_error_message') ? $message->get_error_message() : $message;
    self::fail(is_string($text) ? $text : 'WordPress ended.');
  }

  static function fail(string $message): void {
    self::say(['error' => self::text($message, 500)]);
    exit(1);
  }

  static function answer(array $answer): void {
    self::say(['answer' => $answer]);
    exit(0);
  }

  static function end(): void {
    self::say(['error' => self::fatal() ?? 'It ended before it had answered.']);
  }

  private static function fatal(): ?string {
    $last = error_get_last();
    $isFatal = $last !== null && ($last['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR)) !== 0;
    return $isFatal ? self::text(explode("\n", $last['message'])[0] . ' in ' . $last['file'] . ' on line ' . $last['line'], 500) : null;
  }

  /** From the home, if it is below it. */
  static function place($directory): ?string {
    $home = realpath((string) getenv('HOME'));
    $real = is_string($directory) ? realpath($directory) : false;
    return $home !== false && $real !== false && strpos($real, "$home/") === 0 ? substr($real, strlen($home) + 1) : null;
  }

  static function path(string $encoded): string {
    return getenv('HOME') . '/' . base64_decode($encoded);
  }

  /** One line; the encoding of the answer replaces what is not UTF-8. */
  static function text($value, int $max): string {
    $line = trim(preg_replace('/[\x00-\x20\x7f]+/', ' ', html_entity_decode(strip_tags((string) (is_scalar($value) ? $value : '')), ENT_QUOTES)));
    return substr($line, 0, $max);
  }

  private static function say(array $what): void {
    if (self::$answered) return;
    self::$answered = true;
    $mark = self::$request['mark'];
    $json = json_encode($what, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
    file_put_contents('php://stdout', "\n$mark\n$json\n$mark\n");
  }
}
`
