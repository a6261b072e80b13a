import type { ProgramName } from '../../../contract/programs.ts'
import { linksIn, programPlaces } from '../../../debian/programs/places.ts'

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{$title}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>{$title}</h1>
<p>{$text}</p>
</html>`

/** PHP that redeems a link once: only one request can rename a file. */
export const takeLink = (
  program: ProgramName,
): string => `function panel_refuse(int $status, string $title, string $text): never
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    header("Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    echo <<<PAGE
${page}

PAGE;
    exit;
}

/** What a browser loads before it is asked to. */
function panel_is_early(): bool
{
    foreach (['HTTP_SEC_PURPOSE', 'HTTP_PURPOSE', 'HTTP_X_PURPOSE', 'HTTP_X_MOZ'] as $name) {
        if (preg_match('/prefetch|prerender|preview/i', (string) ($_SERVER[$name] ?? ''))) {
            return true;
        }
    }
    return false;
}

/** The log-in that a link stands for. */
function panel_take_link(): array
{
    header('Cache-Control: no-store');
    header('Referrer-Policy: no-referrer');
    header('X-Robots-Tag: noindex');
    if ($_SERVER['REQUEST_METHOD'] !== 'GET') {
        header('Allow: GET');
        panel_refuse(405, 'This link was not opened', 'It opens with GET alone.');
    }
    if (panel_is_early()) {
        panel_refuse(403, 'This link was not opened', 'It works once, so it is not loaded in advance. Open it yourself.');
    }
    $token = $_GET['token'] ?? '';
    if (is_string($token) && preg_match('/^[A-Za-z0-9_-]{43}$/D', $token)) {
        $link = '${linksIn(programPlaces[program])}/' . hash('sha256', $token);
        $taken = $link . '.' . bin2hex(random_bytes(8));
        if (@rename($link, $taken)) {
            $login = json_decode((string) file_get_contents($taken), true);
            unlink($taken);
            if (is_array($login) && $login['until'] >= time()) {
                return $login;
            }
        }
    }
    panel_refuse(
        403,
        'This link does not work',
        'It has been used, has expired, or its account is suspended. Ask for a new one in the control panel.',
    );
}
`
