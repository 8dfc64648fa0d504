/** Texts of files, and the ids and pairs that are read of them. What is wrong with a line is said in test/transcripts/ids.txt. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { idsOf } from './inputs.ts'
import { isReach } from '../../src/input/id.ts'
import { a, assign, b, merge, reading, text, utf16, type Case } from './texts.ts'

const latin1 = (short: string): Buffer => Buffer.from(text(short), 'latin1')
const deep = (begin: string, end: string, inside = ''): string =>
  begin.repeat(100_000) + inside + end.repeat(100_000)
const path = Array.from({ length: 64 }, () => 'x').join('.')
/** As deep as JSON may be. */
const deep64 = `${'['.repeat(64)}"@a"${']'.repeat(64)}`
const nested = `${'{"x":'.repeat(64)}"@a"${'}'.repeat(64)}`
const members = '{"id":"@b","contact":{"id":"@a"}}\n{"id":"@b","contact":{"id":"@c"}}'
const decided = 'source,target,DECISION\n@a,@b,merge\nx,y,\n@c,@d, MERGE \n@d,@a,no\n'
const matched =
  'Name;contactId;MATCH;BY;NAME;LISTS\nx;@a; One;phone;X;V\nx;;several;;X;V\nx;;none;;X;V\nx;@b;one;;X;\n'
const decisions = ['Merge ', 'no', '', null].map((DECISION) =>
  JSON.stringify({ source: a, target: b, DECISION }),
)
const tickets = { isTickets: true } as const
test.each<Case>([
  ['an empty file', '', ''],
  ['only blanks and comments', '  \n# ids of today\n\t\n#\n', ''],
  ['only a byte order mark', '\ufeff', ''],
  ['CR alone, and mixed line ends', '@a\r\n\n@b\r\r@c', 'a1 b3 c5'],
  ['UTF-16 with its mark', utf16('@a\r\n@b\r\n'), 'a1 b2'],
  ['UTF-16 BE with its mark', utf16('@a\n@b', true), 'a1 b2'],
  ['csv in UTF-16', utf16('id\tname\r\n@a\tZoë\r\n'), 'a2'],
  ['no-break spaces around', '\u00a0@a\u00a0\n\u202f@b\u3000\n', 'a1 b2'],
  ['the first spelling wins', '@A\n@a\n', 'A1 | 1 duplicates'],
  ['quoted lines', `"@a"\n'@b'\n`, 'a1 b2'],
  ['lines of an array with a comment', '"@a",\n# more\n"@b",\n@c;\n', 'a1 b3 c4'],
  ['ObjectId', `ObjectId("@a")\nObjectId('@b')\nnew ObjectId("@c"),\n`, 'a1 b2 c3'],
  ['a header behind comments', '# export\n\n"contact_id"\n"@a"\n', 'a4'],
  ['csv with a header', 'name,id\nBob,@a\n"Smith, Ann",@b\n', 'a2 b3'],
  ['csv with semicolons', 'id;name\n@a;Bob, the one\n@b;\n', 'a2 b3'],
  [
    'csv with semicolons, and more commas in a heading',
    'id;Name, first, last\n@a;Ann, x, y\n@b;\n',
    'a2 b3',
  ],
  ['the same without a heading', '@a;Ann, x, y\n@b;\n', 'a1 b2', { column: '1' }],
  [
    'addresses of tickets without a heading, cut as the first line is',
    'x;https://a.example/tickets/@a\nx, y, z;https://a.example/tickets/@b\n',
    'a1 b2',
    { ...tickets, column: '2' },
  ],
  ['the comma where it and semicolons cut the heading alike', 'id,a;b,x;id\n@a,1;2,3;@b\n', 'a2'],
  [
    'csv with line ends in quotes: where the record begins',
    'id,note\n@a,"one\r\ntwo\r\nthree"\n@b,x\n',
    'a2 b5',
  ],
  [
    'addresses and notes over lines',
    'id,note\n@a,"12, Main St\nBerlin"\n@b,"see\n@c\nand"\n',
    'a2 b4',
  ],
  ['notes over lines behind the id', 'note,id\n"see\n@c",@a\n"call\n@c, x\nx",@b\n', 'a2 b4'],
  ['a quote in a cell that does not begin with one', 'id,pipe\n@a,5" pipe\n@b,6"\n', 'a2 b3'],
  ['quotes that are written twice', 'id,x\n@a,"""Bob"" is a name"\n@b,"a ""b"""\n', 'a2 b3'],
  ['empty quotes', 'id,x,y\n@a,"",""\n"@b","",x\n', 'a2 b3'],
  [
    'text behind a closing quote of one line, skipped',
    'id,x\n@a,"Bob" x\n@b,x\n',
    'b3 | 1 invalid',
    { skipInvalid: true },
  ],
  ['csv with CR line ends', 'id,name\r@a,Bob\r@b,Ann', 'a2 b3'],
  ['csv with mixed line ends and blank lines', 'id,name\r\n@a,Bob\n\n,,\r@b,Ann', 'a2 b5'],
  ['csv behind comments', '# made today\n#\nid,name\n@a,Bob\n', 'a4'],
  ['csv with ObjectId', 'id,name\nObjectId("@a"),Bob\n', 'a2'],
  ['a spreadsheet’s blank columns', '@a,,\n@b,,\n', 'a1 b2'],
  ['csv of Windows-1252', latin1('id,name\n@a,Zo\xeb\n'), 'a2 | 1 notes'],
  [
    'csv of Windows-1252 whose last byte could begin a character of UTF-8',
    latin1('id,name\n@a,Zo\xeb'),
    'a2 | 1 notes',
    { where: ['name=Zoë'] },
  ],
  ['JSON objects', '[{"contact_id":"@a"},\n {"x":[1],"contact_id":"@b"}]', 'a1 b2'],
  [
    'JSON with --where, of numbers, of nested objects and of what is not there',
    '[{"id":"@a","x":{"n":1}},{"id":"@b","x":{"n":2}},{"id":"@c"}]',
    'b2 c3 | 1 left out | 1 notes',
    { where: ['x.n!=1'] },
  ],
  [
    'NDJSON of a match',
    '{"row":2,"match":"one","contactId":"@a","by":"phone"}\n{"match":"none","contactId":null,"by":""}\n',
    'a1 | 1 left out | 1 notes',
  ],
  ['an empty JSON array', ' [] ', ''],
  ['one JSON object over several lines', '{\n  "id": "@a"\n}\n', 'a1'],
  ['NDJSON', '\ufeff{"id":"@a","n":1}\n\n{"id":"@b"}\r\n', 'a1 b3'],
  ['NDJSON with $oid', '{"id":{"$oid":"@a"}}\n', 'a1'],
  ['digits and letters e', '5e1234567890123456789012\n', '5e12345678901234567890121'],
  ['all digits', '123456789012345678901234\n', '1234567890123456789012341'],
  ['zeros at the end, but letters too', '64f0a1b2c3d4e5f600000000\n', '64f0a1b2c3d4e5f6000000001'],
  ['a column by name', 'Contact ID,name,other\n@a,Bob,@b\n', 'b2', { column: 'other' }],
  ['a column by number', '@a,Bob\n@b,Ann\n', 'a1 b2', { column: '1' }],
  ['one of two equal id headings, by its number', 'id,x,ID\n@a,,@b\n', 'b2', { column: '3' }],
  ['one column in another letter case', 'Contact\n@a\n', 'a2', { column: 'contact' }],
  ['the one in the letter case that was typed', 'Key,key\n@b,@a\n', 'a2', { column: 'key' }],
  ['a key in another letter case', '[{"Number":"@a"}]', 'a1', { column: 'number' }],
  [
    'the key in the letter case that was typed',
    '[{"Key":"@b","key":"@a"}]',
    'a1',
    { column: 'key' },
  ],
  ['a path in NDJSON', '{"x":{"y":"@a"}}\n{"x":{"y":"@b"}}\n', 'a1 b2', { column: 'x.y' }],
  ['a key that looks like a path', '[{"x.y":"@a"}]', 'a1', { column: 'x.y' }],
  ['a key called __proto__', '{"__proto__":{"id":"@a"}}\n', 'a1', { column: '__proto__.id' }],
  ['64 levels', nested, 'a1', { column: path }],
  ['brackets in texts', JSON.stringify([{ id: a, note: `\\"${'['.repeat(500)}` }]), 'a1'],
  [
    'NDJSON nested too deep, left out',
    `{"id":"@b"}\n${deep('[', ']')}\n`,
    'b1 | 1 invalid',
    { skipInvalid: true },
  ],
  ['title rows', 'Export, contacts\n\nmade today\nName;ID;x\n;@a;\nAnn;@b;2\n', 'a5 b6 | 1 notes'],
  ['20 title rows', `${'Report\n'.repeat(20)}Name;ID\nAnn;@a\n`, 'a22 | 1 notes'],
  ['title rows above one column', 'Kunden im März\n2024-03-01\nid\n@a\n\n@b\n', 'a4 b6 | 1 notes'],
  [
    'one above a column that was named',
    '\ufeffReport\nKunde;Nr\n@a;1\n@b;2\n',
    'a3 b4 | 1 notes',
    { column: 'Kunde' },
  ],
  [
    'one above a numbered column',
    'Report\nid;Nr\n@a;1\n@b;2\n',
    'a3 b4 | 1 notes',
    { column: '1' },
  ],
  ['a title with line ends in quotes', '"Export\nof\ncontacts",\nid,name\n@a,x\n', 'a5 | 1 notes'],
  [
    'sep= with a comma in a cell',
    'sep=;\r\nname;id\r\nBob;@a\r\nAnn, the one;@b\r\n',
    'a3 b4 | 1 notes',
  ],
  ['sep= with its own delimiter', 'sep=|\nid|a,b\n@a|c\n@b|\n', 'a3 b4 | 1 notes'],
  ['sep= with a tab', '"SEP=\t"\nx\tID\n1\t@a\n2\t@b', 'a3 b4 | 1 notes'],
  ['pipes below a title', 'Export of March\nName|ID\nBob|@a\nAnn|@b\n', 'a3 b4 | 1 notes'],
  [
    'sep= and a title, in UTF-16',
    utf16('sep=;\r\nReport;;\r\nName;ID\r\nZoë;@a\r\n'),
    'a4 | 2 notes',
  ],
  [
    '--where',
    'id,state\n@a,open\n@b,closed\n@c,Open \n',
    'a2 c4 | 1 left out | 1 notes',
    { where: ['STATE=open'] },
  ],
  [
    '--where below a title',
    'My\nid;x\n@a;1\n@b;2\n',
    'a3 | 1 left out | 2 notes',
    { where: ['x=1'] },
  ],
  [
    '--where with blanks around its parts',
    'id,x\n@a,1\n@b,2\n',
    'a2 | 1 left out | 1 notes',
    { where: [' x = 1 '] },
  ],
  [
    'two of them',
    'id,x,n\n@a,1,1\n@b,1,2\n',
    'b3 | 1 left out | 1 notes',
    { where: ['x=1', 'n=2'] },
  ],
  [
    'of a number below nothing',
    'id,x\n@a,-1.5\n@b,1.5\n@c,-1.50\n@d, -1.5 \n',
    'a2 d5 | 2 left out | 1 notes',
    { where: ['x=-1.5'] },
  ],
  [
    'of other numbers than one below nothing',
    'id,x\n@a,-1.5\n@b,1.5\n',
    'b3 | 1 left out | 1 notes',
    { where: ['x!=-1.5'] },
  ],
  [
    'of an empty value',
    'id,x\n@a,1\n@b,\n@c, \n',
    'b3 c4 | 1 left out | 1 notes',
    { where: ['x='] },
  ],
  [
    'of a value with a sign',
    'id,x\n@a,a=b\n@b,a\n',
    'a2 | 1 left out | 1 notes',
    { where: ['x=a=b'] },
  ],
  [
    '--where of rows that do not have a value',
    'id,state\n@a,open\n@b,closed\n@c,\n@d, CLOSED\n',
    'a2 c4 | 2 left out | 1 notes',
    { where: ['state!=closed'] },
  ],
  [
    'both ways, with signs in the value',
    'id,x,n\n@a,a!=b,1\n@b,a!=b,2\n@c,c,1\n',
    'a2 | 2 left out | 1 notes',
    { where: ['x=a!=b', 'n!=2'] },
  ],
  [
    'of the ids themselves',
    'id\n@a\n@b\n',
    'a2 | 1 left out | 1 notes',
    { where: [`id=${a.toUpperCase()}`] },
  ],
  [
    'of rows that are no ids',
    'id,x\n@a,1\nnone,2\n',
    'a2 | 1 left out | 1 notes',
    { where: ['x=1'] },
  ],
  [
    'of quoted cells',
    'id,"the x"\n"@a","1\nnow"\n"@b",x\n',
    'a2 | 1 left out | 1 notes',
    { where: ['the x=1\nnow'] },
  ],
  [
    'of quotes and CRLF in them',
    'id,x\n@a,"a ""b""\r\nc"\n@b,x\n',
    'a2 | 1 left out | 1 notes',
    { where: ['x=a "b"\nc'] },
  ],
  ['the matched rows of a match', matched, 'a2 b5 | 2 left out | 1 notes'],
  ['the same by its column', matched, 'a2 b5 | 2 left out | 1 notes', { column: 'CONTACTID' }],
  [
    'the same by another one',
    'id;contactId;MATCH;BY\n@c;@a;one;x\n@d;@b;differs;x\n',
    'c2 | 1 left out | 1 notes',
    { column: 'id' },
  ],
  [
    'the same with --where',
    matched.replace('x;@a', 'y;@a'),
    'a2 | 3 left out | 1 notes',
    { where: ['Name=Y'] },
  ],
  [
    'the same in odd headings',
    'ContactID;\u200bmatch;by:\n@a;one;x\n;several;x\n',
    'a2 | 1 left out | 1 notes',
  ],
  [
    'of a match the rows without the word of a person: no',
    matched.replace('several', 'No'),
    'a2 b5 | 2 left out | 1 notes',
  ],
  ['a match of none', 'contactId;MATCH;BY\n;none;\n', ' | 1 left out | 1 notes'],
  ['MATCH without BY', 'Name;contactId;MATCH\nx;@a;one\ny;@b;none\n', 'a2 b3'],
  ['no pairs', '', '', merge],
  ['pairs', 'source,target\n@a,@b\n@c,@d\n', 'a>b2 c>d3', merge],
  ['pairs in columns among others', 'note;TARGET:;Source id\nx;@b;@a\n', 'a>b2', merge],
  ['pairs without a header', '# pairs\n@a\t@b\r\n@A\t@b\n', 'a>b2 | 1 duplicates', merge],
  [
    'a pair again and again, behind another of its first id',
    'source,target\n@a,@b\n@a,@c\n@A,@c\n@a,@c\n',
    'a>b2 a>c3 | 2 duplicates',
    merge,
  ],
  [
    'employees of two letter cases',
    'ticket,employee\n@a,Ann\n@a,ann\n@A,Ann\n',
    'a>Ann2 a>ann3 | 1 duplicates',
    assign,
  ],
  ['pairs as NDJSON', '\n{"targetId":"@b","source":"@a"}\n', 'a>b2', merge],
  ['pairs as JSON', '[{"target":"@b","source_id":"@a"}]', 'a>b1', merge],
  [
    'pairs below a title',
    'sep=;\nMerges\n\nTarget ID;Source ID\n@b;@a\n@d;@c\n',
    'a>b5 c>d6 | 2 notes',
    merge,
  ],
  [
    'pairs of a match',
    'source,target,contactId,MATCH,BY\n@a,@b,,one,x\n@c,@d,,none,\n',
    'a>b2 | 1 left out | 1 notes',
    merge,
  ],
  [
    'an employee as it stands',
    'Employee ID;Ticket\n@b;@a\n Ann "A." Smith ;@c\n"Müller, Zoë";@d\n',
    'a>b2 c>Ann "A." Smith3 d>Müller, Zoë4',
    assign,
  ],
  [
    'decided pairs',
    decided,
    'a>b2 c>d4 | 2 left out | 1 notes',
    { ...merge, where: ['DECISION=merge'] },
  ],
  [
    'pairs of another decision',
    decided,
    'd>a5 | 3 left out | 1 notes',
    { ...merge, where: ['decision=no'] },
  ],
  [
    'decided pairs as NDJSON',
    decisions.join('\n'),
    'a>b1 | 3 left out | 1 notes',
    { ...merge, where: ['DECISION=merge'] },
  ],
])('read: %s', async (_, content, expected, options) => {
  expect(await reading(content, options)).toBe(expected)
})

/** Each of these words is said; a name in quotes is one of the input. */
test.each<Case>([
  [
    'no known name',
    'Number,name,mail\n@a,y,z\n',
    '3 columns: "Number", "name", "mail"; none is called … --column Number',
  ],
  ['ids in two columns', 'Number,Other,n\n@a,@b,1\n', 'none is called … --column <name>'],
  ['no heading', '@a,Bob\n', '2 columns and no heading … Bob … --column 1'],
  ['an id above the heading', '@a,Bob\nname,id\nAnn,@b\n', 'no heading'],
  [
    'an id above a named one',
    '@a,Bob\nname,Kunde\nAnn,@b\n',
    'no column "Kunde"',
    { column: 'Kunde' },
  ],
  [
    'a heading that a shell would run',
    '"$(reboot)",x\n@a,y\n',
    `"$(reboot)", "x" … --column '$(reboot)'`,
  ],
  ['two known names', 'id,contactId\n@a,@b\n', '"id", "contactId" … --column 1 or --column 2'],
  ['two in other spellings', '[{"ID":"@a","contactId":"@b"}]', '"ID", "contactId"'],
  [
    'one name twice',
    'id,x,id\n@a,,@b\n',
    'that may have the ids … name one: --column 1 or --column 3',
  ],
  ['a named one twice', 'x,x\n@a,@b\n', '2 columns called "x"', { column: 'x' }],
  [
    'an unknown column',
    'id,name\n@a,Bob\n',
    'no column "contact" … "id", "name"',
    { column: 'contact' },
  ],
  [
    'a misspelled column',
    'key,nam\n@a,Bob\n',
    'no column "kye" … did you mean --column "key"?',
    { column: 'kye' },
  ],
  ['a column in two letter cases', 'Key,KEY\n@a,@b\n', '2 columns called "key"', { column: 'key' }],
  ['a key in two letter cases', '[{"Key":"@a","KEY":"@b"}]', 'called "key"', { column: 'key' }],
  ['a key and a path', '[{"contact.id":"@a","contact":{"id":"@b"}}]', 'an array or an object'],
  ['a text beside objects', '[{"id":"@a"},"@b"]', 'item 2: empty'],
  ['a column beyond the last', 'id,name\n@a,Bob\n', 'no column "3"', { column: '3' }],
  ['a column of lines', '@a\n', 'no column "x"', { column: 'x' }],
  ['a column of a list of JSON', '[{"$oid":"@a"},"@b"]', 'no column "x"', { column: 'x' }],
  [
    'an object that is no list',
    '{\n"lists":[],"pagination":{}}',
    '1 column: "lists"; none is called',
  ],
  ['__proto__ alone', '{"__proto__":{"id":"@a"}}\n', '"__proto__.id"'],
  ['tickets', 'url,who\n@a,Bob\n', 'none is called "ticket" or "ticketId"', tickets],
  [
    'people',
    'Name,Telefon\nAna,0171 2345678\n',
    'none is called … svc contacts match --file <table>',
  ],
  ['memberships', 'membershipId,name\n@b,Bob\n', 'none is called'],
  [
    'ids of memberships',
    'membershipId,name\n@b,Bob\n',
    'ids of memberships',
    { column: 'membershipId' },
  ],
  [
    'the same in capitals',
    'MEMBERSHIP ID,CONTACT\n@b,@a\n',
    'ids of memberships',
    { column: 'membership id' },
  ],
  ['the same in lines of objects', members, 'ids of memberships', { column: 'id' }],
  [
    'under a number: no id and no heading',
    'unknown,Anna\n@a,Ben\n',
    'line 1: "unknown" … --column unknown',
    { column: '1' },
  ],
  ['beside the numbered column', '@b,unknown\n@a,@c\n', 'line 1: "unknown"', { column: '2' }],
  [
    'a heading that nobody knows',
    'Kunde Nr.;Name\n@a;Ben\n',
    `"Kunde Nr." … --column 'Kunde Nr.'`,
    { column: '1' },
  ],
  [
    'one that nobody knows above one column',
    'unknown,,\n@a,,\n',
    'line 1: "unknown" … --column unknown',
  ],
  [
    'no id at all',
    'unknown,Anna\nothers,Ben\n',
    '2 ids are invalid … line 1 … line 2',
    { column: '1' },
  ],
  [
    'a heading below an id',
    'x,Ann\n@a,Ben\nid,name\n@b,Eve\n',
    '2 ids are invalid … line 3',
    { column: '1' },
  ],
  [
    'more than a heading is looked for',
    `${'x,y\n'.repeat(30)}id,name\n@a,Ben\n`,
    '31 ids are invalid',
    { column: '1' },
  ],
  [
    'a heading behind 21 title rows',
    `${'Report\n'.repeat(21)}Name;ID\nAnn;@a\n`,
    '23 ids are invalid',
  ],
  [
    'one bad line far behind',
    idsOf(7_776).concat('oops').join('\n'),
    '1 id is invalid … line 7,777: "oops"',
  ],
  ['nothing but one of them', 'oops\n', '1 id is invalid … line 1: "oops"'],
  ['many of them', `@a\n${'nonsense\n'.repeat(1_234)}`, '1,234 ids are invalid … and 1,214 more'],
  [
    'nothing but them',
    `name\n${'Anna\n'.repeat(1_234)}`,
    '1,234 ids are invalid … and 1,214 more',
    { column: 'name' },
  ],
  ['several ids on the first line', '@a,@b\n', '2 columns and no heading … --column <name>'],
  [
    'a quote that is never closed',
    'id,name\n@a,"Bob\n@b,Ann\n',
    '1 id is invalid … skips nothing … line 2: ""Bob": cell 2 begins with a quote, but never ends with one',
    { skipInvalid: true },
  ],
  ['one that is never closed in the last line', 'id,x\n@a,"Bob\n', '1 id is invalid … line 2'],
  [
    'text behind a closing quote',
    'id,name\n@a,"Bob"x\n@b,Ann\n@c,"Eve" \n',
    '2 ids are invalid … line 2: ""Bob"x": cell 2 … line 4: … cell 2 begins with a quote, but has text behind the closing one',
  ],
  [
    'text behind the quote of a later row, and a quote that is never closed',
    'id,name,x\n@a,"MEGA & C .,\n@b,Ann,\n@c,"Eve",\n@d,"x,\n@a,y,\n',
    '2 ids are invalid … skips nothing … line 2: ""MEGA & C .,": cell 2 … line 5: ""x,": cell 2',
    { skipInvalid: true },
  ],
  [
    'rows in a cell of quotes that close',
    'id,name,x\n@a,"MEGA & C .,\n@b,Ann,\n@c,Eve",\n@d,"x\n@a,y,z",\n',
    '2 ids are invalid … skips nothing … input line 2: … line 3 would be a row … input line 5: … line 6 would',
    { skipInvalid: true },
  ],
  [
    'a row whose beginning is in a cell of another',
    'x,name,id\n1,"MEGA,@a\n2,Ann",@b\n',
    'line 2 would be a row for itself',
    { skipInvalid: true },
  ],
  ['rows of pairs in a cell', 'source,target\n@a,"@b\n@c,@d"\n', 'line 2 would be a row', merge],
  [
    'a heading with text behind its closing quote',
    '"Name"x;id\nAnn;@a\n',
    'line 1: cell 1 begins with a quote',
  ],
  [
    'a title that swallows rows',
    '"Report\n@a;x\n@b;y\n"x;\nid;name\n@c;z\n',
    'line 1: rows are in a cell with quotes',
    { skipInvalid: true },
  ],
  [
    'a heading that swallows rows',
    'id,"name\n@a,x\n@b",y\n@c,z\n',
    'line 1: rows are in a cell with quotes',
    { skipInvalid: true },
  ],
  ...['null', 'undefined', '"null"', 'NULL', ' null '].map((word): Case => [
    `a line that is ${word}`,
    `@a\n${word}\n@b\n`,
    '1 id is invalid … skips nothing … line 2',
    { skipInvalid: true },
  ]),
  ['null above a heading', 'null\nid\n@a\n', 'line 1: "null"', { skipInvalid: true }],
  ['null in a table', 'name,id\nx,@a\n,null\n', 'line 3: "null"', { skipInvalid: true }],
  ['null in NDJSON', '{"id":"@a"}\nnull\n', 'skips nothing … line 2', { skipInvalid: true }],
  ['null in an array', '["@a",null]', 'skips nothing … item 2', { skipInvalid: true }],
  ['broken JSON', '[\n"@a",\n,]', 'is not JSON'],
  ['a document that is open 64 levels deep', '['.repeat(64), 'this input is incomplete'],
  ['an open document', '[\n"@a",\n', 'this input is incomplete'],
  ['objects over several lines', '{\n"id": 1\n}\n{\n"id": 2\n}\n', 'is not JSON … ndjson'],
  ['64 levels that are closed, and more behind them', `${deep64} x`, 'is not JSON'],
  ['65 levels', `[${nested}]`, 'more than 64', { column: path }],
  ['nested arrays', deep('[', ']'), 'is JSON nested more than 64 levels deep'],
  [
    'nested objects, of a column',
    deep('{"id":', '}', '1'),
    'is JSON nested more than 64 levels deep',
    { column: 'a.b' },
  ],
  ['an array that never ends', deep('[', ''), 'is JSON nested more than 64 levels deep'],
  [
    'a nested member',
    `[{"id":"@a","x":${deep('[', ']')}}]`,
    'is JSON nested more than 64 levels deep',
  ],
  ['a nested line', `{"id":"@b"}\n${deep('[', ']')}\n`, 'line 2: … is JSON nested more than 64'],
  ['nested pairs', deep('[', ']'), 'is JSON nested more than 64 levels deep', merge],
  [
    '--where of an unknown heading',
    'id,state\n@a,open\n',
    'did you mean the column "state"?',
    { where: ['stat=open'] },
  ],
  [
    'of a repeated one',
    'id,state,state\n@a,x,x\n',
    'has 2 columns called "state"',
    { where: ['state=x'] },
  ],
  ['of no heading', '@a\n@b\n', 'has none', { where: ['state=open'] }],
  ['of lines', 'id\n@a\n', 'has no column "state"', { where: ['state=open'] }],
  ['of JSON without it', '{"id":"@a"}\n', 'has no column "state"', { where: ['state=open'] }],
  ['of a list of JSON', '["@a"]', 'tables with a heading', { where: ['state=open'] }],
  ['of an array', '{"id":"@a","x":[1]}\n', 'line 1: "[1]": an array', { where: ['x=1'] }],
  [
    'of no sign',
    'id,state\n@a,open\n',
    '--where takes <column>=<value> or <column>!=<value>, not "state"',
    { where: ['state'] },
  ],
  ['of no column', 'id,state\n@a,open\n', '--where takes <column>=<value>', { where: ['=open'] }],
  [
    'rows of which none is wanted',
    'id,state\n@a,open\n',
    'no row of standard input is left',
    { where: ['state=opne'], allowEmpty: false },
  ],
  ['blank columns are not counted', 'Name,Phone,,,\nAnn,1,,,\n', 'has 2 columns: "Name", "Phone";'],
  ['of no column, either', 'id,state\n@a,open\n', '--where takes', { where: ['!=open'] }],
  ['one without a contactId', 'contactId,MATCH,BY\n@a,one,x\n,one,x\n', 'line 3: empty'],
  [
    'another word under MATCH',
    matched.replace('several', 'maybe'),
    'cell C3: "maybe": MATCH can be one',
    { skipInvalid: true },
  ],
  ['no word', matched.replace('several', ''), 'cell C3: MATCH can be one', { column: 'contactId' }],
  ['MATCH twice', matched.replace('LISTS', 'match'), 'two columns called "MATCH"'],
  ['BY twice', matched.replace('LISTS', 'BY'), 'two columns called "BY"'],
  ['contactId twice', matched.replace('LISTS', 'contactid'), 'columns'],
  ['pairs in one column', '@a\n@b\n', 'begins with … source and target', merge],
  ['in three without a header', '@a,@b,@c\n', 'source and target', merge],
  ['below others', 'to,from\n@a,@b\n', 'begins with "to"', { ...merge, skipInvalid: true }],
  ['half a header', 'source,x\n@a,@b\n', '"source", "x"', merge],
  ['a header twice', 'source,Source ID,target\n@a,@b,@c\n', 'two columns for the source', merge],
  ['the other one twice', 'source,target,target\n@a,@b,@c\n', 'two columns for the target', merge],
  ['a missing cell', 'source,target\n@a\n@b,@c\n', 'line 2: … target: empty', merge],
  ['a missing member', '[{"source":"@a"},{"target":"@b"}]', 'target: empty', merge],
  [
    'a key twice',
    '[{"source":"@a","sourceId":"@b","target":"@c"}]',
    'two columns for the source',
    merge,
  ],
  [
    'bad ids of pairs',
    'source,target\nx,@b\n@a,\n@a,y\n',
    '3 ids are invalid … line 2 … source: contains "x" … line 3 … target: empty … line 4',
    merge,
  ],
  ['an object with one of them', '{\n"source":1\n}', 'begins with "source"', merge],
  ['a list of texts', '["x"]', 'begins with "x" … a heading with source and target', merge],
  ['a number as an id', '[{"source":1,"target":"@b"}]', 'source: a number', merge],
  [
    'pairs whose DECISION nothing asks for',
    decided.replace('DECISION', '\u200bDecision: '),
    'every row would be merged',
    merge,
  ],
  [
    'the same with another --where',
    decided,
    'every row would be merged',
    { ...merge, where: [`source=${a}`] },
  ],
  ['DECISION in JSON', `[${decisions.join(',')}]`, 'every row would be merged', merge],
  ['gzip', gzipSync(`${a}\n`), 'gzip archive … gunzip'],
  [
    'a workbook where nothing reads workbooks',
    Buffer.from('504b0304612e747874', 'hex'),
    'is a workbook, which this svc cannot read … save its table as csv',
  ],
  [
    'xls',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'an old Office file, such as an .xls workbook, or one with a password',
  ],
  ['pdf', '%PDF-1.7\n', 'PDF'],
  ['vCards', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n', 'it is vCards … as csv'],
  ['iCalendar', '\ufeffBEGIN:VCALENDAR\nVERSION:2.0\n', 'it is an iCalendar file'],
  ['LDIF', 'version: 1\n\ndn: cn=Ann,dc=example\ncn: Ann\n', 'it is an LDIF file'],
  ['LDIF without a version', '# all\ndn:: Y249QW5u\n', 'it is an LDIF file'],
  ['a mailbox', 'From ann@example.org Mon Mar  2 10:15:00 2026\nSubject: x\n\n@a\n', 'a mailbox'],
  ['an e-mail', 'Received: from a\n\tby b\nFrom: Ann <a@example.org>\n\n@a\n', 'it is an e-mail'],
  [
    'another e-mail',
    'From: a@example.org\r\nTo: b\r\nMIME-Version: 1.0\r\n\r\n@a\r\n',
    'an e-mail',
  ],
  ['a web page', '\r\n<!DOCTYPE html>\n<table>', 'it is HTML or XML'],
  ['a table of one', '<table border="1"><tr><td>', 'it is HTML or XML'],
  ['XML', '\ufeff<?xml version="1.0"?>\n<Workbook>', 'it is HTML or XML'],
  ['png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'NUL byte'],
  ['words between NUL bytes', 'ab\0cd\0'.repeat(20), 'NUL byte at byte 2'],
  ['UTF-16 without a mark', utf16('@a\n', false, ''), 'NUL byte at byte 1 (line 1) … in UTF-8'],
  ['a list that is no UTF-8', latin1('@a\n\xff\n'), 'not valid UTF-8: byte 25 (line 2)'],
  [
    'half a character of UTF-16',
    Buffer.concat([utf16('@a'), Buffer.from([0x36])]),
    'not valid UTF-16',
  ],
  ['NUL far behind', `${idsOf(2_700).join('\n')}\n\0`, 'NUL byte at byte 67,500 (line 2,701)'],
  [
    'NUL far behind a byte order mark, which counts',
    `\ufeff${idsOf(2_700).join('\n')}\n\0`,
    'NUL byte at byte 67,503 (line 2,701)',
  ],
  ['NUL in csv', `id,n\n@a,${'x'.repeat(70_000)}\0`, 'NUL byte'],
  ['invalid UTF-8 in a document', latin1('["@a", "\xff"]'), 'not valid UTF-8 … byte 30'],
])('refused: %s', async (_, content, expected, options = {}) => {
  const said = await reading(content, options)
  expect(said).toMatch(/^!/)
  for (const words of expected.split(' … ')) expect(said).toContain(words)
  // Skipping bad lines makes no text of what is refused as a whole.
  const skipped = await reading(content, { ...options, skipInvalid: true })
  const areSkipped =
    said.split('\n')[0]?.endsWith('invalid') === true && !said.includes('skips nothing')
  expect(skipped.startsWith('!')).toBe(!areSkipped)
})

test('the error with which ndjson of a command that failed ends is refused, and no word is', async () => {
  const error = `{"type":"error","error":{"category":"unavailable"}}`
  for (const content of [`{"id":"@a"}\n${error}\n`, `${error}\n`, `[{"id":"@a"},${error}]`])
    for (const skipInvalid of [false, true])
      expect(await reading(content, { skipInvalid, allowEmpty: true })).toContain(
        'this input is incomplete',
      )
  expect(await reading('state,id\nIncomplete,@a\n#incomplete: x,@b\n')).toBe('a2 b3')
})

test.each([
  ['an empty file', ''],
  ['blanks and comments', ' \n# none\n'],
  ['lines without an id', 'Ann\n'],
])('%s is refused, and accepted with --allow-empty', async (_, content) => {
  const found = (allowEmpty: boolean) => reading(content, { skipInvalid: true, allowEmpty })
  expect(await found(false)).toContain('has no ids')
  expect(await found(true)).not.toContain('has no ids')
})

test.each([
  ['an empty list', '[]'],
  ['a heading of a list', 'id\n'],
  ['a heading of a table', 'name;contactId\n'],
  ['a heading of pairs', 'source,target\n', merge],
])('%s is whole', async (_, content, options = {}) => {
  expect(await reading(content, { ...options, allowEmpty: false })).toBe('')
})

test.each([
  ['read', 'id,name,status\n@a,Doe, John,keep\n', {}],
  ['judged by --where', 'id,name,status\n@a,Doe, John,keep\n', { where: ['status!=keep'] }],
  ['left out', 'id,name,status\n@a,Doe, John,keep\n', { where: ['status=done'] }],
  ['taken as a pair', 'source,target\n@a,@b,x\n', merge],
])('a row with more cells than headings is not %s', async (_name, content, options) => {
  expect(await reading(content, options)).toMatch(/^!1 id is invalid\n.* line 2: .*more cells/)
  expect(await reading(content, { ...options, skipInvalid: true })).toBe(' | 1 invalid')
})

test('blank cells behind those of the headings, and fewer cells, are no mistake', async () => {
  expect(await reading('id,name\n@a,x,, \n@b\n')).toBe('a2 b3')
})

it('a number of 24 digits that a spreadsheet rounded is no id', async () => {
  expect(await reading('@a\n123456789012345000000000\n')).toContain('rounded by a spreadsheet')
})

it('a phone number has 15 digits at most, and 00 before them', () => {
  expect(isReach(`00${'1'.repeat(15)}`)).toBe(true)
  expect(isReach(`00${'1'.repeat(16)}`)).toBe(false)
})

it('only a first row may have been meant as the heading', async () => {
  const words = await reading('Contact\n@a\nAnn\n')
  expect(words).toContain('line 1: "Contact"')
  expect(words).toContain('line 3: "Ann"')
  expect(words.match(/if this is the heading/g)).toHaveLength(1)
})

it('a first row with an id in it is not the heading', async () => {
  const words = await reading('Ann,@a\nBen,@b\n', { column: '1' })
  expect(words).toContain('line 1: "Ann"')
  expect(words).not.toContain('if this is the heading')
})

it('the first of two equally wide rows above the data is the heading', async () => {
  const rows = 'Kunde;Ort;Wert\nin full;town;number\nAnn;Bonn;x@a\n'
  expect(await reading(rows, { column: 'Other' })).toContain(
    'its columns are "Kunde", "Ort", "Wert"',
  )
})

describe('headings', () => {
  const nouns = ['contact', 'ticket', 'employee', 'source', 'target']
  const usual = [
    'id',
    'contact.id',
    'CONTACT',
    ...nouns.flatMap((each) => [`${each}Id`, `${each}_id`, `${each} id`]),
  ]
  const typed = [
    'contactId:',
    ' Contact ID : ',
    '\u200bcontact_id',
    'contact\u00a0id\u00ad',
    'ID：',
    '"ID:"',
    'i\ufeffd',
  ]
  const upper = usual.map((heading) => heading.toUpperCase())

  it.each([...usual, ...upper, ...typed])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    expect(await reading(JSON.stringify([{ name: 'Bob', [heading]: a }]))).toBe('a1')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n:' })).toContain('no column "n:"')
  })

  it.each(['id', 'ticket', 'TICKET:', 'ticketId', 'Ticket ID'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, tickets)).toBe('a2')
    },
  )

  it.each(['contact-id', 'contactids', 'my id', 'idx', 'Contact', 'ticket.id'])(
    '%j is none',
    async (heading) => {
      expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
      expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('none is called')
    },
  )

  it.each([
    ['csv', 'id,contact.id\n@b,@a\n'],
    ['csv of capitals', '"Contact.ID";"ID"\n@a;@b\n'],
    ['JSON', '[{"id":"@b","contact":{"id":"@a"}}]'],
    ['NDJSON', '{"id":"@b","contact":{"id":"@a"}}\n'],
    ['NDJSON of fields', '{"id":"@b","contact.id":"@a"}\n'],
  ])('the id of a membership is never taken: %s', async (_, content) => {
    for (const how of [{}, { column: 'contact.id' }, { column: 'CONTACT.id' }])
      expect(await reading(content, how)).toMatch(/^a[12]$/)
    for (const column of ['id', 'ID', ...(content.startsWith('id') ? ['1'] : [])])
      expect(await reading(content, { column })).toMatch(/^!.*memberships[^]*--column contact.id/)
  })
})
