/// The style sheet of the report. Its colours are based on those of Okabe and Ito, which colour-blind people can distinguish;
/// shapes differ, too.
enum ReportStyle {
  static let sheet = """
    :root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1c1e21;--soft:#5b6068;--line:#d9dbde;
    --band:#e3eef6;--blue:#0072b2;--orange:#b84a00;--zero:#1c1e21}
    @media(prefers-color-scheme:dark){:root{--page:#15171a;--card:#1e2125;--ink:#eceef0;--soft:#a6acb4;
    --line:#383d44;--band:#223340;--blue:#56b4e9;--orange:#f0a860;--zero:#eceef0}}
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:1240px;padding:16px;background:var(--page);color:var(--ink);
    font:16px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
    h1{font-size:1.6rem;line-height:1.2;margin:.2em 0}h2{font-size:1.2rem;line-height:1.3;margin:2em 0 .4em}
    p{margin:.4em 0;max-width:70ch}.soft,figcaption span{color:var(--soft)}
    .cards{display:grid;gap:12px;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));
    margin:12px 0;align-items:start}
    figure{margin:0;padding:10px;background:var(--card);border:1px solid var(--line);border-radius:8px}
    figcaption{font-size:.9rem;line-height:1.35;margin-bottom:6px}figcaption b{display:block}
    svg{display:block;width:100%;height:auto;max-width:480px;margin:auto}
    svg text{font:12px system-ui,sans-serif;fill:var(--soft)}svg .note{fill:var(--soft);font-size:11px}
    .y,.xe{text-anchor:end}.x{text-anchor:middle}
    path{fill:none;stroke-width:1.5}.grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
    .band{fill:var(--band)}.bar{fill:var(--blue)}.zero{stroke:var(--zero);stroke-width:1}
    .target,.mean{stroke:var(--orange);stroke-dasharray:5 3;stroke-width:2}
    .dots{stroke:var(--blue);stroke-width:3.4;stroke-linecap:round}
    .large{stroke:var(--blue);stroke-width:8;stroke-linecap:round}.crosses{stroke:var(--orange)}
    .range{stroke:var(--blue);stroke-width:2.5}.thin{stroke:var(--blue);stroke-width:1;stroke-opacity:.75}
    .click{stroke:var(--orange);stroke-dasharray:6 4;stroke-width:2}.played{stroke:var(--blue);stroke-width:2}
    dl{display:flex;flex-wrap:wrap;gap:4px 22px;margin:.5em 0}dl div{display:flex;gap:6px}
    dt{color:var(--soft)}dd{margin:0;font-weight:600}
    .scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
    th,td{padding:4px 10px 4px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
    th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}td.what{white-space:normal;min-width:9em}
    @media print{figure{break-inside:avoid}}
    """
}
