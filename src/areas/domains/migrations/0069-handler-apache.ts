/** A further handler: the column's check is part of it, so that it is made anew. */
export const sql = `
DROP TRIGGER htaccess_checks_changed;
ALTER TABLE domains ADD COLUMN answering TEXT NOT NULL DEFAULT 'php'
  CHECK (answering IN ('static', 'php', 'php-front', 'apache', 'app'));
UPDATE domains SET answering = handler;
ALTER TABLE domains DROP COLUMN handler;
ALTER TABLE domains RENAME COLUMN answering TO handler;
CREATE TRIGGER htaccess_checks_changed AFTER UPDATE OF document_root, handler ON domains
WHEN NEW.document_root IS NOT OLD.document_root OR NEW.handler IS NOT OLD.handler BEGIN
  UPDATE htaccess_checks SET next_at = 0 WHERE domain_id = NEW.id;
END;
`
