/** Names for the sandbox's people, in many scripts. */

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
