/**
 * The look of the Swagger UI, in CSS. The library brings most of the dark colours. `:root:root` makes these rules
 * weigh more than its own, in both of its modes.
 */
export const THEME = `
:root {
  --page: #f7f5f1; --card: #fff; --line: #ddd7cc; --ink: #24302f; --accent: #1f6f5c; --on-accent: #fff;
  --warn: #8a2f0e; --warn-soft: #ffe4c7; --note: #5b3a9b; --note-soft: #e6dcfb; --code: #6a1b9a;
}
:root.dark-mode {
  --page: #14191a; --card: #1c2324; --line: #334041; --ink: #e4e9e7; --accent: #5cc3a7; --on-accent: #0d1514;
  --warn: #fdba74; --warn-soft: #4a2513; --note: #cdb8ff; --note-soft: #33264f; --code: #e3c4ff;
}
@media (prefers-color-scheme: dark) { body { background: #14191a; } }

:root:root { background: var(--page); }
:root:root body, :root:root .swagger-ui { background: var(--page); color: var(--ink); }
:root:root .swagger-ui {
  .wrapper { max-width: 1080px; }

  .info { margin: 20px 0 12px; }
  .info hgroup.main { margin: 0 0 8px; }
  .info .title { color: var(--ink); font-size: 34px; letter-spacing: -0.02em; }
  .info h2 { break-after: avoid; color: var(--accent); font-size: 17px; margin: 22px 0 4px; }
  .info p { break-inside: avoid; margin: 0 0 12px; }
  .info p, .info td, .info th { color: var(--ink); font-size: 15px; line-height: 1.6; }
  .info table { break-inside: avoid; margin: 8px 0; width: auto; }
  .info td, .info th { border-bottom: 1px solid var(--line); min-width: 0; padding: 4px 28px 4px 0; }
  .info a { color: var(--accent); }

  .scheme-container {
    background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: none;
    margin: 0 auto 12px; max-width: 1040px; padding: 10px 0;
  }
  .btn { border-radius: 6px; box-shadow: none; }
  .auth-wrapper .btn.authorize, .btn.execute.btn { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  .auth-wrapper .btn.authorize svg { color: var(--on-accent); fill: var(--on-accent); }

  .opblock { border-radius: 10px; box-shadow: none; overflow-x: auto; }
  .opblock-deprecated { opacity: 1; }
  .opblock .opblock-summary-method.opblock-summary-method { background: #1d5f9e; color: #fff; }
  .opblock-post .opblock-summary-method.opblock-summary-method { background: #1c7340; }
  .opblock-put .opblock-summary-method.opblock-summary-method, .opblock-patch .opblock-summary-method.opblock-summary-method { background: #8a5200; }
  .opblock-delete .opblock-summary-method.opblock-summary-method { background: #a82222; }
  .opblock-deprecated .opblock-summary-method.opblock-summary-method { background: #5d6472; color: #fff; }
  .renderedMarkdown code, .markdown code, .response-control-media-type__accept-message code { color: var(--code); }
  .parameter__in, .response-control-media-type__accept-message, .prop-format { color: var(--ink); }
  .highlight-code span[style*='211, 99, 99'] { color: #ffb3b3 !important; }
  .info .title small, .info .title small.version-stamp { background: #4c5a58; }
  .info .title small pre { color: #fff; }
  .headers .header-col { color: var(--ink); }
  .response-col_links { display: none; }
  .response-toggle td { padding: 0; }
  .response-toggle button {
    background: none; border: 0; border-top: 1px solid var(--line); color: var(--ink); cursor: pointer; font: 14px/1.5 sans-serif;
    padding: 6px 0; text-align: left; width: 100%;
  }
  .response-toggle button::before { content: '▸ '; }
  .response-toggle button[aria-expanded='true']::before { content: '▾ '; }
  .parameters-col_name { padding-right: 1em; }
  .prop-format { margin-left: 0.5em; }
  .btn { transition: none; }
  .btn.cancel.cancel.cancel { border-color: currentColor; color: var(--warn); }
  .download-contents { background: #4c5a58; color: #fff; }
  dialog.modal-ux {
    background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-sizing: border-box; color: var(--ink); margin: auto;
    max-width: 650px; padding: 0; position: fixed; width: calc(100% - 24px);
  }
  dialog.modal-ux::backdrop { background: rgb(0 0 0 / 70%); }
  .modal-ux-header { align-items: center; border-bottom: 1px solid var(--line); display: flex; justify-content: space-between; padding: 8px 20px; }
  .modal-ux-header h2 { color: var(--ink); font-size: 20px; margin: 0; }
  .modal-ux .close-modal { background: none; border: 0; color: var(--ink); cursor: pointer; font-size: 24px; padding: 4px 10px; }
  .modal-ux-content { padding: 20px; }
  .modal-ux :is(p, h4, h6, label, code, .auth-container) { color: var(--ink); }
  .modal-ux .modal-btn:not(.authorize) { color: var(--ink); }
  .common-headers .markdown p { margin: 0; }
  .common-headers { color: var(--ink); font: 14px/1.5 sans-serif; margin: 0 auto 8px; }
  .common-headers summary { cursor: pointer; padding: 4px 0; }
  .common-headers dt { font-weight: 600; }
  .common-headers dd { margin: 0 0 4px 1em; }
  .path-and-marks { align-items: center; display: flex; flex-wrap: wrap; gap: 6px 10px; padding: 0 10px; }
  .opblock-summary-path, .opblock-summary-path__deprecated { max-width: none; padding: 0; }
  .mark {
    background: var(--note-soft); border-radius: 999px; color: var(--note); font: 600 12px/1.7 sans-serif;
    padding: 0 10px; white-space: nowrap;
  }
  .mark-sunset { background: var(--warn-soft); color: var(--warn); }
  .validation-errors.errors-wrapper { animation: none; background: var(--card); border-color: var(--warn); }
  .validation-errors.errors-wrapper, .validation-errors li { color: var(--ink); }
}

@media (max-width: 640px) {
  :root:root .swagger-ui {
    .wrapper { padding: 0 12px; }
    .scheme-container { margin: 0 12px 16px; }
    .info .title { font-size: 26px; }
    .opblock-summary-path-description-wrapper { align-items: start; flex-direction: column; gap: 2px; padding: 0; }
    .opblock-summary-description { padding: 0 10px; }
  }
}
`.trim();
