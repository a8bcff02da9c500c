/** What search.json holds. Rows instead of objects: names of members would be half of it. `menu` is what the menu calls a page. */
export interface SearchData {
  readonly pages: [address: string, title: string, menu: string, weight: number][];
  /** `page` is a place in `pages`; `anchor` is empty for the beginning of a page. */
  readonly passages: [page: number, anchor: string, title: string, text: string][];
}
