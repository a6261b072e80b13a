import { existsSync } from 'node:fs'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'
import { programPlaces, webmailDatabase } from './places.ts'

/** By address. */
interface Mailboxes {
  /** Their sessions end. */
  readonly ended: readonly string[]
  /** Delete all of their data: another account may get the address next. */
  readonly gone: readonly string[]
}

/** Roundcube's foreign keys delete what belongs to a user. */
export const endingScript = `$input = json_decode(stream_get_contents(STDIN), true);
$db = new PDO('sqlite:' . $argv[1], null, null, [PDO::ATTR_TIMEOUT => 10]);
$db->exec('PRAGMA foreign_keys = ON');
$db->beginTransaction();
$user = $db->prepare('DELETE FROM users WHERE username = ?');
foreach ($input['gone'] as $address) $user->execute([$address]);
$names = array_map(fn ($one) => sprintf('username|s:%d:"%s";', strlen($one), $one), $input['ended']);
$session = $db->prepare('DELETE FROM session WHERE sess_id = ?');
foreach ($db->query('SELECT sess_id, vars FROM session')->fetchAll(PDO::FETCH_NUM) as [$id, $vars])
  foreach ($names as $name) if (str_contains(base64_decode($vars), $name)) $session->execute([$id]);
$db->commit();`

/** Ends the webmail sessions of mailboxes, and deletes the data of removed ones. */
export async function endWebmail(
  run: Run,
  { php }: Suite,
  input: Mailboxes,
  database = webmailDatabase,
): Promise<void> {
  if (!existsSync(database)) return
  const { user } = programPlaces.webmail
  const rights = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--']
  const words = [...rights, `/usr/bin/php${php}`, '-r', endingScript, '--', database]
  await run('/usr/bin/setpriv', words, { input: JSON.stringify(input) })
}
