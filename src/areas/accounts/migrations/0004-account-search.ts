/** A name has 16 characters at most. */
const places = `(VALUES ${Array.from({ length: 16 }, (_, place) => `(${place + 1})`).join(', ')})`

const ends = (row: string): string =>
  `SELECT substr(${row}.username, column1), ${row}.id FROM ${places} WHERE column1 <= length(${row}.username)`

const add = `INSERT INTO account_name_ends (ending, id) ${ends('new')};`
const remove = `DELETE FROM account_name_ends WHERE (ending, id) IN (${ends('old')});`

/** Stores each suffix of a name, since every part is the prefix of one: `lic` of `alice` is a prefix of `lice`. */
export const sql = `
CREATE TABLE account_name_ends (
  ending TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (ending, id)
) STRICT, WITHOUT ROWID;
INSERT INTO account_name_ends (ending, id)
  SELECT substr(username, column1), id FROM accounts, ${places} WHERE column1 <= length(username) ORDER BY 1, 2;
CREATE TRIGGER account_name_add AFTER INSERT ON accounts BEGIN
  ${add}
END;
CREATE TRIGGER account_name_change AFTER UPDATE OF username ON accounts WHEN old.username <> new.username BEGIN
  ${remove}
  ${add}
END;
CREATE TRIGGER account_name_remove AFTER DELETE ON accounts BEGIN
  ${remove}
END;
`
