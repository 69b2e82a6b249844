import { describe, expect, test } from "vitest";
import { LANGUAGES, type Language } from "../../model/full-text-options.ts";
import { stemGreek } from "./greek-stemmer.ts";
import { hasStopWords, stemmerOf, stopWordsOf } from "./language.ts";

/** Words and their stems by Snowball, from its own vocabularies. */
const STEMS: Readonly<Record<Language, string>> = {
  arabic:
    "\
اشبعن=اشبع بنحركما=نحر عودتهم=عود فتفعلينهن=تفعل فكدياميسهما=كدياميس فليذخرن=ليذخر \
كمجلداتي=كمجلدات لمطيافكن=لمطياف وبالموشحين=موشح وستفضحونهما=تفضح ولتارككم=لتار وهتركم=هتر",
  danish:
    "\
aramæerkongens=aramæerkong bærende=bær forandret=forandr gnave=gnav hånds=hånd \
kolossæ=kolossæ menighedstjenere=menighedstjen opvækst=opvækst sammenløbet=sammenløb \
stegt=stegt trods=trod velvillighed=velvil",
  dutch:
    "\
algerijnse=algerijn boerderij=boerderij dragen=drag geloven=gelov \
hypotheekconstructie=hypotheekconstructie landesbank=landesbank natie=natie \
overtreder=overtreder rumoerig=rumoer tafelzilver=tafelzilver verlengde=verlengd \
werkplekken=werkplek",
  english:
    "\
aquiline=aquilin camelot=camelot cranes=crane electors=elector furor=furor \
indication=indic martha=martha parlaying=parlay ransacked=ransack shouldst=shouldst \
temporise=temporis vestige=vestig",
  finnish:
    "\
ainutlaatuinen=ainutlaatuin ammattikoulujen=ammattikoulu asiakkaalta=asiak bihacin=bihac \
dokumenttiohjelma=dokumenttiohjelm energiajätti=energiajät \
etenemismahdollisuudet=etenemismahdollisuud haalittu=haalitu haukkuivat=haukkuiv \
hinnankorotuksiin=hinnankorotuks huurre=huur ilmakiväärin=ilmakiväär",
  french:
    "\
ambulance=ambul brillantes=brill considérait=consider déclarez=déclar fabriques=fabriqu \
ignares=ignar maintenir=mainten outrage=outrag prussiens=prussien rivales=rival \
suivies=suiv voïvodie=voïvod",
  german:
    "\
annimmt=annimmt bescheidend=bescheid einfältiges=einfalt forstmeister=forstmeist \
glückhaften=gluckhaft inlandsarbeit=inlandsarbeit literaturliste=literaturlist \
pflügten=pflugt schulden=schuld töteten=totet vermittlerin=vermittlerin wölbten=wolbt",
  greek:
    "\
αισθητικών=αισθητ αποδεκτού=αποδεκτ γεννήσεώς=γεννησ εαυτός=εαυτ επιθυμητός=επιθυμητ \
καθορίσετε=καθορ λειβάδια=λειβαδ νωπογραφιών=νωπογραφ πεσσός=πεσσ σακχαρόζη=σακχαροζ \
τέταρτης=τεταρτ φτάσω=φτασ",
  hungarian:
    "\
alagútjaiba=alagút behelyezett=behelyezet bravúr=bravúr kapitánykülsejű=kapitánykülsejű \
kiküldeni=kikülden konferansz=konferansz kétlépcsős=kétlépcsős legbensejét=legbense \
lánynév=lánynév meghallgatom=meghallgat megváltozom=megváltoz módjukban=mód",
  italian:
    "\
alter=alter bisaccia=bisacc concorso=concors disposero=disposer fronti=front \
insensata=insens mescolate=mescol percorso=percors rapite=rap sapevate=sap \
spettacoli=spettacol ufficilizzate=ufficilizz",
  norwegian:
    "\
avgrensa=avgrens dagmulkt=dagmulkt flere=fler gjerdene=gjerd innbakt=innbakt \
kreditt=kreditt misheld=misheld partnarar=partnar rådde=rådd spist=spist \
totalvolumene=totalvolum vedtektsfesta=vedtektsfest",
  portuguese:
    "\
aloizio=aloizi bicicletas=biciclet compañero=compañer descalços=descalc entranhas=entranh \
fortune=fortun iniciante=inic materialista=material paralisia=paralis qualitativo=qualit \
sensatas=sensat túlio=túli",
  romanian:
    "\
amâna=amân calitativa=calit corectați=corectaț documentație=documentaț \
frecventarea=frecvent inexorabile=inexor malefice=malef nările=năr presiuni=presiun \
rămînerii=rămîner sălbăticitură=sălbăticit încheiasem=închei",
  russian:
    "\
бранили=бран вычертил=вычерт заботливостью=заботлив кармане=карман мономания=мономан \
обидны=обидн передала=переда пособия=пособ прощались=проща сиплую=сипл тайна=тайн \
хмельной=хмельн",
  spanish:
    "\
alcanzar=alcanz biscaine=biscain compresor=compresor derrames=derram entregara=entreg \
genera=gener interés=interes ministros=ministr peniche=penich reafirmé=reafirm \
señalar=señal uniformada=uniform",
  swedish:
    "\
balsaminerna=balsamin dammade=damm frosten=frost gratulationer=gratulation inkilad=inkil \
köpmangatan=köpmangatan mångfaldiga=mångfald pressen=press skiftar=skift styver=styv \
tänjas=tänj värld=värld",
  tamil:
    "\
மரங்கள்=மரங் மரத்தில்=மரம் புத்தகங்கள்=புத்தகம் வீடுகள்=வீடு வீட்டில்=வீடு பள்ளிக்கு=பள்ளி \
பறவைகள்=பறவை தமிழர்கள்=தமிழர் சென்றான்=செல் வந்தார்கள்=வ",
  turkish:
    "\
araçla=araç birikimlerin=birik diğerini=diğer fırlatılışı=fırlatılış hedeflerde=hedef \
karşılayacaktır=karşılayacak leman=lema otobandaki=otoba seçenek=seçenek topaktaş=topaktaş \
yazarken=yazar ötesinde=öte",
};

describe("the stemmer", () => {
  test.each(LANGUAGES)("of %s gives the stems of Snowball", (language) => {
    for (const pair of STEMS[language].split(" ")) {
      const [word, stem] = pair.split("=");
      expect([word, stemmerOf(language)(word)]).toEqual([word, stem]);
    }
  });

  test.each([
    ["αυτοκίνητα", "αυτοκινητ"],
    ["χορδίζουμε", "χορδ"],
    ["χορδίζοντας", "χορδιζ"],
    ["κρέατος", "κρε"],
    ["γεγονότων", "γεγον"],
    ["αγάμε", "αγαμ"],
    ["ίσα", "ισ"],
    ["βυζαντινισμός", "βυζαντ"],
    ["μαμάδες", "μαμ"],
    ["λαμπάδες", "λαμπαδ"],
    ["το", "το"],
  ])("for Greek makes of %s %s", (word, stem) => {
    expect(stemGreek(word)).toBe(stem);
  });
});

describe("stop words", () => {
  test("exist for thirteen languages", () => {
    const without = LANGUAGES.filter((language) => !hasStopWords(language));
    expect(without).toEqual(["arabic", "greek", "romanian", "tamil", "turkish"]);
    expect(without.map((language) => stopWordsOf(language).size)).toEqual([0, 0, 0, 0, 0]);
  });

  test.each([
    ["danish", "og", 94],
    ["dutch", "het", 101],
    ["english", "the", 33],
    ["finnish", "että", 229],
    ["french", "même", 154],
    ["german", "während", 231],
    ["hungarian", "között", 198],
    ["italian", "perché", 279],
    ["norwegian", "på", 172],
    ["portuguese", "não", 203],
    ["russian", "что", 159],
    ["spanish", "también", 308],
    ["swedish", "från", 114],
  ] as const)("of %s have %s among %i", (language, word, count) => {
    const words = stopWordsOf(language);
    expect([words.has(word), words.size]).toEqual([true, count]);
  });
});
