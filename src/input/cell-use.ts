/** The decision that a cell is for: an id, a word (a name, an address, MATCH, DECISION), a phone number, or a value of `--where`. */
export type CellUse = 'id' | 'word' | 'phone' | 'value'
