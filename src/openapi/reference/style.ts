/** Styles that Redoc does not set. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; }
body { background: #fff; color: #24302f; font-family: system-ui, sans-serif; margin: 0; }
#reference h5 { color: inherit; }
table td, table th { border-color: #ddd7cc !important; }
@media (prefers-color-scheme: dark) {
  body { background: #14191a; color: #e4e9e7; }
  #reference table tr, #reference table tr:nth-child(2n) { background: #14191a; }
  #reference table td, #reference table th { border-color: #334041 !important; color: #e4e9e7; }
  #reference h5 span { color: inherit; }
  #reference .react-tabs__tab--selected { background: #334041; color: #fff; }
  #reference [role='search'] input { color: #e4e9e7; }
}
`.trim();
